import type { QueryClient } from '@tanstack/react-query';

/** The change that an action makes unless it is rejected. */
export interface Foreseen {
  /** The addresses of the affected responses, without their query strings. */
  at: readonly string[];
  /** The field values that select the changed objects in these responses. */
  only: Readonly<Record<string, unknown>>;
  change: Readonly<Record<string, unknown>>;
}

/**
 * Applies an expected change to all cached responses. Returns a function that rolls it back: it restores the cache and
 * refetches, because the object may have changed in the meantime.
 */
export async function foresee(queries: QueryClient, foreseen: Foreseen): Promise<() => void> {
  const shown = responsesAt(foreseen);
  // A response in flight would show the old state.
  await queries.cancelQueries(shown);
  const before = queries.getQueriesData(shown);
  queries.setQueriesData(shown, (answer: unknown) => withChange(answer, foreseen));
  return () => {
    for (const [queryKey, answer] of before) queries.setQueryData(queryKey, answer);
    void queries.invalidateQueries(shown);
  };
}

/**
 * Applies a change that the API has made, without fetching every response again. Only requests in flight are repeated,
 * because their responses may predate it.
 */
export function applyChange(queries: QueryClient, change: Foreseen): void {
  const shown = responsesAt(change);
  const inFlight = queries.getQueryCache().findAll({ ...shown, fetchStatus: 'fetching' });
  queries.setQueriesData(shown, (answer: unknown) => withChange(answer, change));
  for (const { queryKey } of inFlight) void queries.invalidateQueries({ queryKey, exact: true });
}

const responsesAt = ({ at }: Foreseen) => ({
  predicate: ({ queryKey: [, , address] }: { queryKey: readonly unknown[] }) =>
    typeof address === 'string' && at.includes(address.split('?')[0] ?? ''),
});

/** Returns a copy of a response with the selected objects changed, at any depth of its lists. */
function withChange(answer: unknown, foreseen: Foreseen): unknown {
  if (Array.isArray(answer)) return answer.map((one) => withChange(one, foreseen));
  if (typeof answer !== 'object' || answer === null) return answer;
  const { only, change } = foreseen;
  const thing = answer as Record<string, unknown>;
  if (Object.entries(only).every(([name, value]) => thing[name] === value)) return { ...thing, ...change };
  // The pages of a list.
  if (Array.isArray(thing.pages)) return { ...thing, pages: withChange(thing.pages, foreseen) };
  if (Array.isArray(thing.items)) return { ...thing, items: withChange(thing.items, foreseen) };
  return answer;
}
