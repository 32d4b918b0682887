import { z } from 'zod';
import { waitUntil } from '../embedded/wait-until.ts';

/** Right after the start, a busy machine may briefly have no free connection. */
const readableWithinMs = 30_000;

export type Api = ReturnType<typeof createApi>;

/** A client that calls an API as the token's user, or without a token as a caller from this machine. */
export function createApi(origin: string, token?: string) {
  const callOnce = async (
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ status: number; content: unknown }> => {
    const answer = await fetch(`${origin}${path}`, {
      method,
      signal: AbortSignal.timeout(10_000),
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const content: unknown = await answer.json().catch(() => undefined);
    return { status: answer.status, content };
  };
  /** Retries reads while a service is unavailable. Writes are not retried, because they may have taken effect. */
  const call = async (method: string, path: string, body?: unknown): ReturnType<typeof callOnce> => {
    if (method !== 'GET') return await callOnce(method, path, body);
    const read = async () => {
      const answer = await callOnce(method, path);
      return answer.status === 503 ? undefined : answer;
    };
    return (
      (await waitUntil(read, { timeoutMs: readableWithinMs, everyMs: 250 })) ?? (await callOnce(method, path))
    );
  };
  const callOk = async <Shape extends z.ZodType>(
    method: string,
    path: string,
    options: { body?: unknown; shape: Shape },
  ) => {
    const { status, content } = await call(method, path, options.body);
    if (status >= 300) throw new Error(`${method} ${path} returned ${status} ${JSON.stringify(content)}`);
    return options.shape.parse(content) as z.output<Shape>;
  };
  return {
    get: <Shape extends z.ZodType>(path: string, shape: Shape) => callOk('GET', path, { shape }),
    post: <Shape extends z.ZodType>(path: string, body: unknown, shape: Shape) =>
      callOk('POST', path, { body, shape }),
    /** Returns a list. A caller who administers nothing yet gets 403 (REQ-ACCESS-3), which means an empty list. */
    list: async <Shape extends z.ZodType>(path: string, shape: Shape) => {
      const { status, content } = await call('GET', path);
      if (status === 403) return [];
      if (status >= 300) throw new Error(`GET ${path} returned ${status} ${JSON.stringify(content)}`);
      return z.array(shape).parse(content);
    },
  };
}
