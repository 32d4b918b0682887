import type { QueryClient, QueryKey } from '@tanstack/react-query';

/**
 * Sends a request for a response as soon as no other one is running. It would cancel that one, and with it the page
 * that the user has asked for, or the response to an event.
 */
export async function whenIdle(
  queries: QueryClient,
  queryKey: QueryKey,
  send: () => Promise<unknown>,
): Promise<void> {
  for (;;) {
    const query = queries.getQueryCache().find({ queryKey, exact: true });
    if (query?.state.fetchStatus !== 'fetching') break;
    await query.promise?.catch(() => undefined);
  }
  await send();
}
