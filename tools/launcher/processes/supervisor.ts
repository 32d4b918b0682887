import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { restartExitCode } from '@botyard/shared/system/process-contract';
import type { RunningProcess } from '../../embedded/guarded-process.ts';

const firstPauseMs = 50;
const longestPauseMs = 1500;
const stableAfterMs = 10_000;

/** A process that is restarted in the same way when it dies. */
export interface Unit<Running extends RunningProcess = RunningProcess> {
  name: string;
  start(): Promise<Running>;
  /** If true, the process waits for `restart` after it has exited with a fault. */
  restsAfterFault?: boolean;
}

interface SupervisorEvents {
  /** Called for every started process. */
  onStart(name: string, pid: number): void;
  /** Called when a process ends unexpectedly. If `isResting`, it is restarted only by `restart`. */
  onDeath(name: string, code: number | null, isResting: boolean): void;
  onFailedRestart(name: string, error: Error): void;
}

interface Kept {
  unit: Unit;
  current: Current | undefined;
  stopping: AbortController;
  done: Promise<void>;
}

interface Current {
  running: RunningProcess;
  /** Aborted when a restart is requested. */
  replaced: AbortController;
  ending?: Promise<void>;
}

/** Keeps processes running until they are stopped. Restarts them within two seconds, and much sooner at first. */
export class Supervisor {
  readonly #kept = new Map<string, Kept>();
  readonly #events: SupervisorEvents;
  #isStopping = false;

  constructor(events: SupervisorEvents) {
    this.#events = events;
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** Starts a unit. If the first start fails, the error goes to the caller. Later starts are retried forever. */
  async keep<Running extends RunningProcess>(unit: Unit<Running>): Promise<Running> {
    if (this.#isStopping) throw new Error('stopping');
    const first = Promise.withResolvers<Running>();
    const kept: Kept = { unit, current: undefined, stopping: new AbortController(), done: Promise.resolve() };
    this.#kept.set(unit.name, kept);
    kept.done = this.#run(kept, (running) => first.resolve(running as Running)).catch(first.reject);
    return await first.promise;
  }

  pidOf(name: string): number | undefined {
    return this.#kept.get(name)?.current?.running.pid;
  }

  /** Restarts a process immediately, even a resting one. Resolves when the old process has ended. */
  async restart(name: string): Promise<void> {
    const current = this.#kept.get(name)?.current;
    if (!current) return;
    current.replaced.abort();
    await end(current);
  }

  /** Stops the named processes in parallel. Resolves when they have ended. */
  async stop(names: readonly string[]): Promise<void> {
    await Promise.all(
      names.map(async (name) => {
        const kept = this.#kept.get(name);
        if (!kept) return;
        kept.stopping.abort();
        if (kept.current) await end(kept.current);
        await kept.done;
      }),
    );
  }

  /** Prevents all further starts. */
  beginStop(): void {
    this.#isStopping = true;
  }

  killAll(): void {
    this.beginStop();
    for (const { stopping, current } of this.#kept.values()) {
      stopping.abort();
      current?.running.kill();
    }
  }

  async #run(kept: Kept, onFirst: (running: RunningProcess) => void): Promise<void> {
    const { unit, stopping } = kept;
    let failures = 0;
    let running = await unit.start();
    onFirst(running);
    for (;;) {
      const replaced = new AbortController();
      kept.current = { running, replaced };
      if (stopping.signal.aborted) return await running.stop();
      this.#events.onStart(unit.name, running.pid);
      const startedAt = performance.now();
      const code = await running.exited;
      if (stopping.signal.aborted) return;
      if (!replaced.signal.aborted) {
        const isResting = unit.restsAfterFault === true && isFault(code);
        this.#events.onDeath(unit.name, code, isResting);
        if (isResting) await once(AbortSignal.any([replaced.signal, stopping.signal]), 'abort');
      }
      failures = performance.now() - startedAt > stableAfterMs ? 0 : failures;
      // A requested restart happens immediately, however briefly the process has run.
      if (code === restartExitCode || replaced.signal.aborted) failures = -1;
      const next = await this.#startAgain(kept, failures);
      if (!next) return;
      running = next.running;
      failures = next.failures;
    }
  }

  async #startAgain(
    { unit, stopping }: Kept,
    failuresBefore: number,
  ): Promise<{ running: RunningProcess; failures: number } | undefined> {
    for (let failures = failuresBefore; ; failures += 1) {
      const waitMs = failures < 0 ? 0 : Math.min(longestPauseMs, firstPauseMs * 2 ** failures);
      await pause(waitMs, undefined, { signal: stopping.signal }).catch(() => {});
      if (stopping.signal.aborted || this.#isStopping) return undefined;
      try {
        return { running: await unit.start(), failures: failures + 1 };
      } catch (error) {
        this.#events.onFailedRestart(unit.name, error as Error);
      }
    }
  }
}

/** Stops a process only once, because a second signal would interrupt its shutdown. */
function end(current: Current): Promise<void> {
  current.ending ??= current.running.stop();
  return current.ending;
}

function isFault(code: number | null): boolean {
  return code !== null && code !== 0 && code !== restartExitCode;
}
