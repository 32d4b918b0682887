import type { Violation } from '../part.ts';
import { shrink } from '../shrink.ts';
import { bytesOf, type RawRequest } from './raw-request.ts';

const withinMs = 20_000;

export interface SeenFault {
  what: string;
  /** The `user-agent` of the request, if it is known. */
  agent: string;
}

/** Shrinks a request that broke a promise as far as it still breaks the promise when sent alone. */
export async function explain(
  { what }: SeenFault,
  request: RawRequest | undefined,
  breaks: (request: RawRequest) => Promise<boolean>,
): Promise<Violation> {
  const promise = promiseOf(what);
  if (!request) return { promise, what, steps: [] };
  if (!(await breaks(request)))
    return {
      promise,
      what,
      steps: [shown(request), 'alone it breaks no promise: repeat the run with its seed'],
    };
  const headers = await shrink(request.headers, (kept) => breaks({ ...request, headers: kept }), {
    withinMs,
  });
  const fewer = { ...request, headers };
  const target = await shrink([...request.target], (kept) => breaks({ ...fewer, target: kept.join('') }), {
    withinMs,
  });
  return { promise, what, steps: [shown({ ...fewer, target: target.join('') })] };
}

const shown = (request: RawRequest): string => JSON.stringify(bytesOf(request));

function promiseOf(what: string): string {
  if (what.startsWith('a handler was reached')) return 'nothing without a principal reaches a handler (P15)';
  if (what.startsWith('a forged header')) return 'no forged header comes through (G-04)';
  if (what.startsWith('answered 5')) return 'no 5xx';
  return 'every request has its own answer, and services are told the truth';
}
