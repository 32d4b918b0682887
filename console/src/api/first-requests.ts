/** A response that waits longer for the code that reads it is too old to be shown. */
const keptForMs = 10_000;

interface FirstResponse {
  response: Promise<Response>;
  /** When it arrived; undefined while the request is in flight. */
  arrivedAt: number | undefined;
}

const firstResponses = new Map<string, FirstResponse>();

const keyOf = ({ url, headers }: Request): string =>
  JSON.stringify([url, headers.get('authorization'), headers.get('x-tenant-id')]);

/** Sends a GET before the code that shows its response is loaded. `fetchOnce` hands the response over. */
export async function sendEarly(request: Request): Promise<Response> {
  const first: FirstResponse = { response: fetch(request), arrivedAt: undefined };
  firstResponses.set(keyOf(request), first);
  const response = await first.response;
  first.arrivedAt = performance.now();
  return response.clone();
}

/** Fetches. A GET that was sent early, for the same caller and tenant, isn't sent again: its response is used once. */
export async function fetchOnce(request: Request): Promise<Response> {
  const key = keyOf(request);
  const first = request.method === 'GET' ? firstResponses.get(key) : undefined;
  if (!first) return await fetch(request);
  firstResponses.delete(key);
  const response = await first.response.catch(() => undefined);
  const { arrivedAt = performance.now() } = first;
  const isFresh = performance.now() - arrivedAt < keptForMs;
  return response && isFresh ? response : await fetch(request);
}
