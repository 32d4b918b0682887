import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { CalculatorMessage } from './calculator-thread.ts';
import { type Tool, ToolError } from './tool.ts';

const startMs = 10_000;
const longestMs = 500;
/** Of one tenant, so that what is slow keeps others waiting for a moment only. */
const mostWaiting = 4;
/** A thread that nobody asks gives its 40 MB back. */
const idleMs = 60_000;
const resourceLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 };

/**
 * Calculates one expression after another in a thread, which is begun with the first one. What takes longer than half a
 * second, or more memory than a calculation needs, is ended together with the thread.
 */
export class Calculator {
  readonly #waiting = new Map<string, number>();
  #last: Promise<unknown> = Promise.resolve();
  #thread: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;

  /** @throws ToolError: `refused` with what is wrong with the expression, `failed` when too many wait. */
  async calculate(tenantId: string, expression: string, signal: AbortSignal): Promise<string> {
    const waiting = this.#waiting.get(tenantId) ?? 0;
    if (waiting >= mostWaiting) throw new ToolError('failed', 'the calculator is busy');
    this.#waiting.set(tenantId, waiting + 1);
    const turn = this.#last.then(() => {
      signal.throwIfAborted();
      return this.#run(expression);
    });
    this.#last = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      const left = (this.#waiting.get(tenantId) ?? 1) - 1;
      if (left > 0) this.#waiting.set(tenantId, left);
      else this.#waiting.delete(tenantId);
    }
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
