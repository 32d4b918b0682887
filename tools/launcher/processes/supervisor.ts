import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { restartExitCode } from '@botyard/shared/system/process-contract';
import type { RunningProcess } from '../../embedded/guarded-process.ts';

const firstPauseMs = 50;
const longestPauseMs = 1500;
const stableAfterMs = 10_000;

/** Something that runs as a process and is started again, in the same way, when it dies. */
export interface Unit<Running extends RunningProcess = RunningProcess> {
  name: string;
  start(): Promise<Running>;
  /** Ended by an exit code that says a fault, it waits for `restart`. */
  restsAfterFault?: boolean;
}

interface SupervisorEvents {
  /** Every time that a process was started. */
  onStart(name: string, pid: number): void;
  /** For an end that nothing here asked for. `isResting`: it isn't started again before `restart`. */
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
  /** Aborted when a restart is asked for. */
  replaced: AbortController;
  ending?: Promise<void>;
}

/** Keeps processes running until told otherwise. A restart follows within two seconds, at first much sooner. */
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

  /** Starts it; a first start that fails is the caller's, later ones are tried again for ever. */
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

  /** Ends a process, which is started again at once; so is one that rests. Returns when the old one is gone. */
  async restart(name: string): Promise<void> {
    const current = this.#kept.get(name)?.current;
    if (!current) return;
    current.replaced.abort();
    await end(current);
  }

  /** Ends the named ones at the same time, and returns when they are gone. */
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

  /** From now on nothing is started any more. */
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
      // A restart that was asked for is made at once, however short the process's life was.
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

/** Once for each process: a second signal would cut off what it still finishes. */
function end(current: Current): Promise<void> {
  current.ending ??= current.running.stop();
  return current.ending;
}

function isFault(code: number | null): boolean {
  return code !== null && code !== 0 && code !== restartExitCode;
}
