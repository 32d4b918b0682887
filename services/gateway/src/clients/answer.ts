import type { ServerResponse } from 'node:http';
import { tenantHeader } from '@botyard/shared/http/send-events';

/**
 * Headers of one connection only, headers that reveal our internals, and headers that would open the API to other
 * origins.
 */
const keptBack =
  /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|x-powered-by|server|x-botyard-.*|access-control-.*)$/;

/**
 * Begins the client's response with the service's status and headers. Headers already set by the gateway stay. Proxies
 * that compress or otherwise transform an event stream would delay its events.
 */
export function beginAnswer(
  res: ServerResponse,
  status: number,
  headers: Record<string, string | string[] | undefined>,
): void {
  res.statusCode = status;
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined && !keptBack.test(name) && !res.hasHeader(name)) res.setHeader(name, value);
  }
  if (isEventStream(headers['content-type'])) res.setHeader('Cache-Control', 'no-store, no-transform');
}

/** Whether an answer is server-sent events. */
export const isEventStream = (type: string | string[] | undefined): boolean =>
  typeof type === 'string' && type.toLowerCase().startsWith('text/event-stream');

/** The tenant on whose share the service has opened a stream. */
export function tenantOf(headers: Record<string, string | string[] | undefined>): string | undefined {
  const tenantId = headers[tenantHeader];
  return typeof tenantId === 'string' ? tenantId : undefined;
}
