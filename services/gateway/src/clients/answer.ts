import { tenantHeader } from '@botyard/shared/http/send-events';
import type { AnswerTarget } from './collected-answer.ts';

/** Headers of one connection only, and headers that reveal our internals. */
const keptBack =
  /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|x-powered-by|server|x-botyard-.*)$/;
/** They would open the API to pages of other origins; adapters of platforms decide for their own paths. */
const opening = /^access-control-/;

/**
 * Begins the client's response with the service's status and headers. Headers already set by the gateway stay.
 * `isForPages`: pages of other origins may be allowed to read it, and browsers to keep it. Proxies that compress or
 * otherwise transform an event stream would delay its events.
 */
export function beginAnswer(
  res: AnswerTarget,
  status: number,
  headers: Record<string, string | string[] | undefined>,
  { isForPages = false } = {},
): void {
  res.statusCode = status;
  for (const name in headers) {
    const value = headers[name];
    const isKept = !keptBack.test(name) && (isForPages || !opening.test(name));
    const isFree = !res.hasHeader(name) || (isForPages && name === 'cache-control');
    if (value !== undefined && isKept && isFree) res.setHeader(name, value);
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
