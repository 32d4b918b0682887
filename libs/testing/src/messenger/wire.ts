/** Where the token and the method stand in a path, and how a refusal looks on the wire. */
import type { Answer } from '../fake/fake-server.ts';
import type { PlatformError } from './types.ts';

/** `<bot id>:<secret>`. */
export const tokenShape = /^[1-9]\d{0,15}:[A-Za-z0-9_-]{1,64}$/;

export function pathParts(path: string): { token: string; method: string } | undefined {
  const [, token, method] = /^\/bot([^/]+)\/(?:test\/)?([^/]+)$/.exec(path) ?? [];
  return token === undefined || method === undefined ? undefined : { token, method };
}

export function refusalAnswer({ status, message, parameters }: PlatformError): Answer {
  const retryAfter = parameters?.retry_after;
  return {
    status,
    body: {
      ok: false,
      error_code: status,
      description: message,
      ...(parameters === undefined ? {} : { parameters }),
    },
    ...(retryAfter === undefined ? {} : { headers: { 'retry-after': String(retryAfter) } }),
  };
}
