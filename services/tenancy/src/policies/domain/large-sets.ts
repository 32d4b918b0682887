import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { unavailable } from '@botyard/shared/http/errors';
import type { Log } from '@botyard/shared/log/log';
import { RoundRobinQueue } from '@botyard/shared/work/round-robin-queue';
import type { Request } from './cedar.ts';
import { failed, type PolicySet, type Verdict } from './engine.ts';
import type { ThreadAnswer } from './large-sets-thread.ts';
import { RefusedSets } from './refused-sets.ts';
import { type ThreadBudget, watchBudget } from './thread-budget.ts';

const startMs = 20_000;
/** Parsing and deciding takes at most 150 ms for a set that could be saved. */
const defaultBudget: ThreadBudget = { cpuMs: 1000, totalMs: 10_000 };
const maxWaitingOfTenant = 64;
/** An idle thread is ended to free its memory. */
const idleMs = 60_000;
const resourceLimits = { maxOldGenerationSizeMb: 64, stackSizeMb: 4 };

interface Job {
  set: PolicySet;
  request: Request;
  end: PromiseWithResolvers<Verdict>;
}

/**
 * Decides policy sets that are too large for the thread that serves requests: one decision after another in a
 * persistent thread, fairly among tenants. A decision that exceeds its budget is refused, and so are later ones of the
 * same set; the thread is replaced.
 */
export class LargeSets {
  readonly #waiting = new RoundRobinQueue<Job>();
  readonly #waitingOf = new Map<string, number>();
  readonly #refused = new RefusedSets();
  readonly #budget: ThreadBudget;
  readonly #log: Pick<Log, 'warn'>;
  #isWorking = false;
  #thread: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor({ log, budget = defaultBudget }: { log: Pick<Log, 'warn'>; budget?: ThreadBudget }) {
    this.#log = log;
    this.#budget = budget;
  }

  /** @throws HttpError 503 when too many decisions of the tenant are pending, or no thread can be started. */
  async decide(set: PolicySet, request: Request): Promise<Verdict> {
    if (this.#refused.has(set)) return failed([]);
    const { tenantId } = set;
    const waiting = this.#waitingOf.get(tenantId) ?? 0;
    if (waiting >= maxWaitingOfTenant)
      throw unavailable("too many decisions by the tenant's policies are waiting");
    this.#waitingOf.set(tenantId, waiting + 1);
    const job: Job = { set, request, end: Promise.withResolvers() };
    this.#waiting.add(tenantId, job);
    if (!this.#isWorking) void this.#work();
    return await job.end.promise;
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.terminate();
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    clearTimeout(this.#idle);
    for (let [job] = this.#waiting.take(1); job; [job] = this.#waiting.take(1)) {
      const { tenantId } = job.set;
      const left = (this.#waitingOf.get(tenantId) ?? 1) - 1;
      if (left > 0) this.#waitingOf.set(tenantId, left);
      else this.#waitingOf.delete(tenantId);
      await this.#run(job).then(job.end.resolve, job.end.reject);
    }
    this.#isWorking = false;
    this.#idle = setTimeout(() => void this.close(), idleMs).unref();
  }

  async #run({ set, request }: Job): Promise<Verdict> {
    // An earlier decision may have just been the first that took too long.
    if (this.#refused.has(set)) return failed([]);
    try {
      this.#thread ??= await begin();
    } catch (error) {
      throw unavailable('policies cannot be evaluated at the moment: try again later', { cause: error });
    }
    try {
      return await ask(this.#thread, { set, request }, this.#budget);
    } catch (error) {
      await this.close();
      this.#refused.add(set);
      const { tenantId, policies } = set;
      this.#log.warn(
        { tenantId, policies: policies.length, err: error },
        "a tenant's policies take too long: requests that need them are refused until they change, or for ten minutes",
      );
      return failed([]);
    }
  }
}

async function begin(): Promise<Worker> {
  const thread = new Worker(new URL('./large-sets-thread.ts', import.meta.url), {
    env: {},
    execArgv: [],
    resourceLimits,
  });
  thread.unref();
  // A thread that dies between decisions is noticed by the next one.
  thread.on('error', () => undefined);
  await once(thread, 'message', { signal: AbortSignal.timeout(startMs) });
  return thread;
}

/** @throws when the thread exceeds its budget, or ends. */
async function ask(
  thread: Worker,
  question: { set: PolicySet; request: Request },
  budget: ThreadBudget,
): Promise<Verdict> {
  const over = new AbortController();
  const unwatch = watchBudget(thread, budget, () =>
    over.abort(new Error('the decision exceeded its budget')),
  );
  const end = () => over.abort(new Error('the thread ended'));
  thread.once('exit', end);
  try {
    const message = once(thread, 'message', { signal: over.signal });
    thread.postMessage(question);
    const [answer] = (await message.catch((error) => {
      throw over.signal.reason ?? error;
    })) as [ThreadAnswer];
    return 'verdict' in answer ? answer.verdict : failed([]);
  } finally {
    unwatch();
    thread.off('exit', end);
  }
}
