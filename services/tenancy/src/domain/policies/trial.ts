import { Worker } from 'node:worker_threads';
import { unavailable } from '@botyard/shared/http/errors';
import type { Findings } from './examine.ts';

const mostWaiting = 20;
const timeoutMs = 5000;
/** Less than what decisions have. Cedar's own stack, which ends first, is the same here and there. */
const stackSizeMb = 0.5;

/** @throws HttpError 503 when too many texts wait already. */
export type TryPolicy = (text: string) => Promise<Findings>;

/**
 * Examines policies' texts in threads of their own, one at a time. A text that nests deeply enough traps Cedar, and the
 * instance with it: here that ends a thread, where decisions are made it would end those of all tenants.
 */
export function createPolicyTrial(): TryPolicy {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return async (text) => {
    if (waiting >= mostWaiting) throw unavailable('too many policies are being checked at the moment');
    waiting += 1;
    const findings = last.then(() => examineApart(text));
    last = findings.finally(() => {
      waiting -= 1;
    });
    return await findings;
  };
}

function examineApart(text: string): Promise<Findings> {
  const { promise, resolve } = Promise.withResolvers<Findings>();
  const refuse = (message: string) => resolve({ issues: [{ path: 'text', message }], warnings: [] });
  const thread = new Worker(new URL('./trial-thread.ts', import.meta.url), {
    workerData: text,
    resourceLimits: { stackSizeMb, maxOldGenerationSizeMb: 64 },
  });
  const deadline = setTimeout(() => refuse('takes too long to be checked'), timeoutMs);
  thread.once('message', resolve);
  thread.once('error', () => refuse('is too deeply nested to be evaluated'));
  thread.once('exit', () => refuse('could not be checked'));
  return promise.finally(() => {
    clearTimeout(deadline);
    return thread.terminate();
  });
}
