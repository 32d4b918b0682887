import { z } from 'zod';
import { waitUntil } from '../embedded/wait-until.ts';

/** Right after the start, a busy machine may have no free connection for a moment. */
const readableWithinMs = 30_000;

export type Api = ReturnType<typeof createApi>;

/** Calls an API as the person of the token; without one as the caller that this machine is. */
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
  /** Reads are repeated while a service is absent; writes aren't, because they may have been done all the same. */
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
    if (status >= 300) throw new Error(`${method} ${path} answered ${status} ${JSON.stringify(content)}`);
    return options.shape.parse(content) as z.output<Shape>;
  };
  return {
    get: <Shape extends z.ZodType>(path: string, shape: Shape) => callOk('GET', path, { shape }),
    post: <Shape extends z.ZodType>(path: string, body: unknown, shape: Shape) =>
      callOk('POST', path, { body, shape }),
    /** A caller who administers nothing yet is refused the list (REQ-ACCESS-3), which means that it is empty. */
    list: async <Shape extends z.ZodType>(path: string, shape: Shape) => {
      const { status, content } = await call('GET', path);
      if (status === 403) return [];
      if (status >= 300) throw new Error(`GET ${path} answered ${status} ${JSON.stringify(content)}`);
      return z.array(shape).parse(content);
    },
  };
}
