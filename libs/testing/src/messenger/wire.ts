/** Finds the token and the method in a path, and formats refusals. */
import type { Answer } from '../fake/fake-server.ts';
import { PlatformError } from './types.ts';

/** `<bot id>:<secret>`. */
export const tokenShape = /^[1-9]\d{0,15}:[A-Za-z0-9_-]{1,64}$/;

export function pathParts(path: string): { token: string; method: string } | undefined {
  const [, token, method] = /^\/bot([^/]+)\/(?:test\/)?([^/]+)$/.exec(path) ?? [];
  return token === undefined || method === undefined ? undefined : { token, method };
}

/** Where files are downloaded from. */
export function fileParts(path: string): { token: string; path: string } | undefined {
  const [, token, file] = /^\/file\/bot([^/]+)\/(.+)$/.exec(path) ?? [];
  return token === undefined || file === undefined ? undefined : { token, path: file };
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

/** A refusal that a test asks for. */
export interface ScriptedRefusal {
  status: number;
  /** Defaults to the platform's usual text. */
  description?: string | undefined;
  /** In seconds. */
  retryAfter?: number | undefined;
}

export function scriptedRefusal({ status, description, retryAfter }: ScriptedRefusal): Answer {
  const parameters = retryAfter === undefined ? undefined : { retry_after: retryAfter };
  const usual =
    status === 429 ? `Too Many Requests: retry after ${retryAfter ?? 1}` : 'Internal Server Error: restart';
  return refusalAnswer(new PlatformError(status, description ?? usual, parameters));
}
