import type { ServerResponse } from 'node:http';

/** What concerns one connection only, or tells of our insides, or would open the API to other origins. */
const keptBack =
  /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|x-powered-by|server|x-botyard-.*|access-control-.*)$/;

/** Begins the client's answer as the service began its own. Headers that the gateway has set itself stand. */
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
}
