import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Cleanup } from '../../rig/cleanup.ts';
import type {
  ConversationPlan,
  ConversationResult,
  LoadPlan,
  LoadResult,
  Order,
  Platforms,
  Report,
} from './messages.ts';

const script = fileURLToPath(new URL('main.ts', import.meta.url));

type Wanted =
  | { order: 'load'; plan: LoadPlan }
  | { order: 'converse'; plan: ConversationPlan }
  | { order: 'platforms' };

/** The benchmark's handle to the process that generates the load. */
export class LoadProcess {
  readonly #child: ChildProcess;
  readonly #open = new Map<number, PromiseWithResolvers<unknown>>();
  #lastId = 0;

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.on('message', (report: Report) => {
      const waiting = this.#open.get(report.id);
      this.#open.delete(report.id);
      if ('fault' in report) waiting?.reject(new Error(`the load process failed: ${report.fault}`));
      else waiting?.resolve(report.result);
    });
    child.on('exit', () => {
      for (const { reject } of this.#open.values()) reject(new Error('the load process ended'));
    });
  }

  static async start(cleanup: Cleanup): Promise<LoadProcess> {
    const child = fork(script, { execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    await cleanup.add(async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    });
    return new LoadProcess(child);
  }

  load(plan: LoadPlan): Promise<LoadResult> {
    return this.#ask({ order: 'load', plan }) as Promise<LoadResult>;
  }

  converse(plan: ConversationPlan): Promise<ConversationResult> {
    return this.#ask({ order: 'converse', plan }) as Promise<ConversationResult>;
  }

  platforms(): Promise<Platforms> {
    return this.#ask({ order: 'platforms' }) as Promise<Platforms>;
  }

  #ask(wanted: Wanted): Promise<unknown> {
    this.#lastId += 1;
    const order: Order = { id: this.#lastId, ...wanted };
    const answer = Promise.withResolvers<unknown>();
    this.#open.set(order.id, answer);
    this.#child.send(order);
    return answer.promise;
  }
}
