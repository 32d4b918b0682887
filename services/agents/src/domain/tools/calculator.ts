import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { CalculatorMessage } from './calculator-thread.ts';
import { type Tool, ToolError } from './tool.ts';

const startMs = 20_000;
/** A calculation takes some milliseconds; the rest is for a machine that has much to do. */
const longestMs = 1500;
/** Of one tenant. */
const mostWaiting = 16;
/** A thread that nobody asks gives its 40 MB back. */
const idleMs = 60_000;
const resourceLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 };

interface Job {
  expression: string;
  signal: AbortSignal;
  end: PromiseWithResolvers<string>;
}

/**
 * Calculates one expression after another in a thread, which is begun with the first one. What takes too long, or more
 * memory than a calculation needs, is ended together with the thread. Tenants take turns, so that who has slow
 * ones keeps others waiting for one of them at most.
 */
export class Calculator {
  readonly #waiting = new Map<string, Job[]>();
  #served: string | undefined;
  #isWorking = false;
  #thread: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;

  /** @throws ToolError: `refused` with what is wrong with the expression, `failed` when too many wait. */
  async calculate(tenantId: string, expression: string, signal: AbortSignal): Promise<string> {
    const jobs = this.#waiting.get(tenantId) ?? [];
    if (jobs.length >= mostWaiting) throw new ToolError('failed', 'the calculator is busy');
    const job: Job = { expression, signal, end: Promise.withResolvers() };
    jobs.push(job);
    this.#waiting.set(tenantId, jobs);
    if (!this.#isWorking) void this.#work();
    return await job.end.promise;
  }

  start(): void {
    // Nothing to do before the first calculation.
  }

  async stop(): Promise<void> {
    clearTimeout(this.#idle);
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.terminate();
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    for (let job = this.#next(); job; job = this.#next()) {
      const { expression, signal, end } = job;
      if (signal.aborted) end.reject(signal.reason);
      else await this.#run(expression).then(end.resolve, end.reject);
    }
    this.#isWorking = false;
  }

  /** Of the tenant that waits longest, and not of the same one again while there is another. */
  #next(): Job | undefined {
    const names = [...this.#waiting.keys()];
    const tenantId = names.find((name) => name !== this.#served) ?? names[0];
    if (tenantId === undefined) return undefined;
    const jobs = this.#waiting.get(tenantId) ?? [];
    const job = jobs.shift();
    this.#served = tenantId;
    this.#waiting.delete(tenantId);
    if (jobs.length > 0) this.#waiting.set(tenantId, jobs);
    return job;
  }

  async #run(expression: string): Promise<string> {
    clearTimeout(this.#idle);
    try {
      this.#thread ??= await begin();
      const answer = nextMessage(this.#thread, longestMs);
      this.#thread.postMessage(expression);
      const message = await answer;
      if ('error' in message) throw new ToolError('refused', message.error);
      return 'result' in message ? message.result : '';
    } catch (error) {
      if (error instanceof ToolError) throw error;
      await this.stop();
      throw new ToolError('refused', 'this takes too long to calculate', { cause: error });
    } finally {
      this.#idle = setTimeout(() => void this.stop(), idleMs).unref();
    }
  }
}

async function begin(): Promise<Worker> {
  const thread = new Worker(new URL('./calculator-thread.ts', import.meta.url), {
    env: {},
    execArgv: [],
    resourceLimits,
  });
  thread.unref();
  // A thread that dies in between is noticed by who waits for its answer.
  thread.on('error', () => undefined);
  await nextMessage(thread, startMs);
  return thread;
}

/** @throws when it takes longer, and when the thread fails. */
async function nextMessage(thread: Worker, timeoutMs: number): Promise<CalculatorMessage> {
  const [message] = await once(thread, 'message', { signal: AbortSignal.timeout(timeoutMs) });
  return message as CalculatorMessage;
}

export const calculate: Tool<'calculator'> = async ({ calculator }, { tenantId, parameters, signal }) => {
  const { expression } = parameters;
  return { text: `${expression} = ${await calculator.calculate(tenantId, expression, signal)}` };
};
