import type { Identity } from '@botyard/contracts/identity';
import { identityHeader } from '@botyard/shared/auth/identity';
import { readUnlessStreaming } from './read-unless-streaming.ts';

export type Answer = {
  status: number;
  /** The parsed body; `undefined` when there is none. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read the fields that they expect, and fail without them
  body: any;
  /** The body, unparsed. */
  text: string;
  headers: Headers;
};

/** Calls a service like the gateway. `as: null` sends no identity; `rawBody` is sent unchanged. */
export type TestCall = (
  method: string,
  path: string,
  options: {
    as: Identity | null;
    body?: unknown;
    rawBody?: string | Uint8Array<ArrayBuffer>;
    headers?: Record<string, string>;
  },
) => Promise<Answer>;

export const anonymous: Identity = { kind: 'anonymous' };

/** A person with their own session; unknown people are created on first use. */
export function user(
  idpUserId: string,
  options: { isOperator?: boolean; org?: { id: string; role: string }; email?: string; name?: string } = {},
): Identity {
  const { isOperator = false, ...optional } = options;
  return { kind: 'user', idpUserId, sessionId: `sess_${idpUserId}`, isOperator, ...optional };
}

export function testCaller(baseUrl: string, sign: (identity: Identity) => Promise<string>): TestCall {
  return async (method, path, { as, body, rawBody, headers: more }) => {
    const payload = rawBody ?? (body === undefined ? undefined : JSON.stringify(body));
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(as ? { [identityHeader]: await sign(as) } : {}),
        ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
        ...more,
      },
      ...(payload === undefined ? {} : { body: payload }),
    });
    const text = await readUnlessStreaming(response);
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    const { status, headers } = response;
    return { status, headers, text, body: isJson ? JSON.parse(text) : undefined };
  };
}
