import { Worker } from 'node:worker_threads';
import { unavailable } from '@botyard/shared/http/errors';
import { Semaphore } from '@botyard/shared/work/semaphore';
import type { Findings } from './examine.ts';
import { type ThreadBudget, watchBudget } from './thread-budget.ts';
import type { TrialMessage } from './trial-thread.ts';
import { findExcesses, weighPolicy } from './weigh.ts';

/** The most texts that are examined concurrently. */
const maxAtOnce = 2;
const defaultMostWaiting = 10;
const defaultBudget: ThreadBudget = { cpuMs: 5000, totalMs: 30_000 };
const startMs = 20_000;
/** Less than what decisions have. Cedar's own stack, which is exhausted first, is the same in both. */
const stackSizeMb = 0.5;

interface Trial {
  tenantId: string;
  text: string;
  /** The texts of the tenant's other enabled policies. */
  others: readonly string[];
}

/** @throws HttpError 503 when too many texts of the tenant are pending. */
export type TryPolicy = (trial: Trial) => Promise<Findings>;

/**
 * Examines policies' texts in threads of their own. A text with deep nesting traps Cedar, and breaks the instance: here
 * that ends a thread, while in the engine it would break the decisions of all tenants. A tenant has one text in
 * progress at a time, and scheduling is fair, so that slow texts of one tenant don't delay another's.
 */
export function createPolicyTrial({
  budget = defaultBudget,
  maxWaitingOfTenant = defaultMostWaiting,
} = {}): TryPolicy {
  const places = new Semaphore(maxAtOnce);
  const ofTenant = new Map<string, { last: Promise<unknown>; count: number }>();
  return async (trial) => {
    const excesses = findExcesses(weighPolicy(trial.text));
    if (excesses.length > 0) return refusal(...excesses);
    const { tenantId } = trial;
    const own = ofTenant.get(tenantId) ?? { last: Promise.resolve(), count: 0 };
    if (own.count >= maxWaitingOfTenant)
      throw unavailable('too many policies of the tenant are being checked at the moment');
    ofTenant.set(tenantId, own);
    own.count += 1;
    const findings = own.last.then(() => places.run(tenantId, () => examineApart(trial, budget)));
    own.last = findings
      .catch(() => undefined)
      .finally(() => {
        own.count -= 1;
        if (own.count === 0) ofTenant.delete(tenantId);
      });
    return await findings;
  };
}

const refusal = (...messages: string[]): Findings => ({
  issues: messages.map((message) => ({ path: 'text', message })),
  warnings: [],
  decisionMs: 0,
});

function examineApart({ text, others }: Trial, budget: ThreadBudget): Promise<Findings> {
  const { promise, resolve } = Promise.withResolvers<Findings>();
  const thread = new Worker(new URL('./trial-thread.ts', import.meta.url), {
    workerData: { text, others },
    env: {},
    resourceLimits: { stackSizeMb, maxOldGenerationSizeMb: 64 },
  });
  const overrun = () =>
    resolve(refusal('takes too long to be checked: shorten it, or disable other policies'));
  // Starting a thread doesn't count for the text's budget.
  let unwatch = watchBudget(thread, { cpuMs: Number.POSITIVE_INFINITY, totalMs: startMs }, overrun);
  thread.on('message', (message: TrialMessage) => {
    unwatch();
    if ('findings' in message) resolve(message.findings);
    else unwatch = watchBudget(thread, budget, overrun);
  });
  thread.once('error', () => resolve(refusal('is too deeply nested to be evaluated')));
  thread.once('exit', () => resolve(refusal('could not be checked')));
  return promise.finally(() => {
    unwatch();
    return thread.terminate();
  });
}
