import { ThreadPool } from '@botyard/shared/work/thread-pool';
import { TaskError, TaskRefusal } from '@botyard/shared/work/thread-tasks';
import type { tasks } from './calculator-thread.ts';
import { ToolError } from './tool-error.ts';

/** A calculation takes some milliseconds; the rest allows for a busy machine. */
const timeoutMs = 1500;
/** The most pending calculations per tenant. */
const maxWaiting = 16;
const maxMegabytes = 128;

/**
 * Runs calculations one by one in a thread, which starts with the first one. A calculation that exceeds its time or
 * memory is terminated together with the thread. Scheduling is fair among tenants, so that a tenant with slow
 * expressions delays others by at most one of them.
 */
export class Calculator {
  readonly #pool = new ThreadPool<typeof tasks>({
    file: new URL('./calculator-thread.ts', import.meta.url),
    maxMegabytes,
    maxWaiting,
  });

  /** @throws ToolError: `refused` with the expression's fault, `failed` when too many are pending. */
  async calculate(tenantId: string, expression: string, signal: AbortSignal): Promise<string> {
    try {
      return await this.#pool.run('calculate', expression, { owner: tenantId, timeoutMs, signal });
    } catch (error) {
      if (error instanceof TaskRefusal) throw new ToolError('refused', error.message);
      if (!(error instanceof TaskError)) throw error;
      if (error.fault === 'busy') throw new ToolError('failed', 'the calculator is busy');
      throw new ToolError('refused', 'this takes too long to calculate', { cause: error });
    }
  }

  start(): void {
    // Has no effect, because the thread starts with the first calculation.
  }

  async stop(): Promise<void> {
    await this.#pool.stop();
  }
}
