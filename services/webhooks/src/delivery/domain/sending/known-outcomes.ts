import { setTimeout as pause } from 'node:timers/promises';
import { type Database, type TenantTx, withTenant } from '@botyard/shared/db/database';
import type { Log } from '@botyard/shared/log/log';
import type { Settled } from '../../store/part-outcomes.ts';
import type { KnownOutcome, LeftBehind, OutcomeFile } from './outcome-file.ts';

type Settlers = Record<KnownOutcome['kind'], (tx: TenantTx, known: KnownOutcome) => Promise<Settled>>;

interface Options {
  database: Database;
  file: OutcomeFile;
  settlers: Settlers;
  /** Called after an outcome was written alone: its announcement is still due. */
  onWritten: () => void;
  log: Log;
}

const firstPauseMs = 100;
const longestPauseMs = 1000;
/** After a delayed write, outcomes are written one by one for this time. */
const hamperedForMs = 5000;

/**
 * Holds outcomes of sends until they are in the database: in memory and, from the first failed write on, in a file. A
 * part whose outcome is known is never sent again.
 */
export class KnownOutcomes {
  readonly #options: Options;
  readonly #pending = new Map<string, KnownOutcome>();
  /** Files whose outcomes this installation does not know. */
  readonly #foreign = new Set<string>();
  readonly #givingUp = new AbortController();
  #hamperedUntil = 0;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Whether a larger transaction was delayed recently. */
  get isHampered(): boolean {
    return performance.now() < this.#hamperedUntil;
  }

  noteHampered(): void {
    this.#hamperedUntil = performance.now() + hamperedForMs;
  }

  /** The number of outcomes that are not written yet. */
  get count(): number {
    return this.#pending.size;
  }

  /**
   * Writes one outcome, however long that takes. Resolves with `false` when the process ends first: then the next
   * process finds the outcome in the file.
   */
  async save(known: KnownOutcome): Promise<boolean> {
    if (await this.#settle(known)) return true;
    const key = `${known.id}/${known.send}`;
    this.#pending.set(key, known);
    await this.#keep();
    const { signal } = this.#givingUp;
    for (let waitMs = firstPauseMs; !signal.aborted; waitMs = Math.min(longestPauseMs, waitMs * 2)) {
      await pause(waitMs, undefined, { signal }).catch(() => undefined);
      if (!(await this.#settle(known))) continue;
      this.#pending.delete(key);
      await this.#keep();
      return true;
    }
    return false;
  }

  /** Aborted by `giveUp`. */
  get givingUp(): AbortSignal {
    return this.#givingUp.signal;
  }

  /** Stops waiting for the database: unwritten outcomes stay in the file. */
  giveUp(): void {
    this.#givingUp.abort();
  }

  /** Writes the outcomes that ended processes left in files. Resolves when all are written, or when it is given up. */
  async restore({ atStart }: { atStart: boolean }): Promise<void> {
    const { file, log } = this.#options;
    const found = await file.listLeftBehind({ atStart });
    for (const left of found.filter(({ path, isOld }) => isOld || !this.#foreign.has(path))) {
      const results = new Set<Settled | undefined>();
      for (const known of left.outcomes) results.add(await this.#untilSettled(known));
      if (results.has(undefined)) return;
      if (results.has('written'))
        log.info({ outcomes: left.outcomes.length }, 'wrote the outcomes that an ended process left');
      // Another installation may share the folder: its outcomes, unknown here, are kept for it.
      if (!results.has('missing') || left.isOld) await this.#remove(left);
      else this.#foreign.add(left.path);
    }
  }

  async #untilSettled(known: KnownOutcome): Promise<Settled | undefined> {
    const { signal } = this.#givingUp;
    while (!signal.aborted) {
      const settled = await this.#settle(known);
      if (settled) return settled;
      await pause(longestPauseMs, undefined, { signal }).catch(() => undefined);
    }
    return undefined;
  }

  async #settle(known: KnownOutcome): Promise<Settled | undefined> {
    const { database, settlers, onWritten, log } = this.#options;
    try {
      const settled = await withTenant(database, [known.tenantId], (tx) => settlers[known.kind](tx, known));
      if (settled === 'written') onWritten();
      return settled;
    } catch (error) {
      log.warn({ err: error, kind: known.kind, id: known.id }, 'the outcome of a send is not written yet');
      return undefined;
    }
  }

  async #keep(): Promise<void> {
    try {
      await this.#options.file.write([...this.#pending.values()]);
    } catch (error) {
      this.#options.log.error({ err: error }, 'could not store outcomes of sends in a file');
    }
  }

  async #remove(left: LeftBehind): Promise<void> {
    await this.#options.file
      .remove(left)
      .catch((error: unknown) =>
        this.#options.log.warn({ err: error }, 'could not remove a file of outcomes'),
      );
  }
}
