import { setTimeout as pause } from 'node:timers/promises';
import { type Database, withTenant } from '@botyard/shared/db/database';
import type { Log } from '@botyard/shared/log/log';
import { afterPoll } from '@botyard/shared/work/after-poll';
import { LRUCache } from 'lru-cache';
import { listExistingParts } from '../store/parts.ts';
import type { JournalFile, LeftBehind } from './journal-file.ts';
import type { Next, SendEnd } from './send-end.ts';

interface Options {
  database: Database;
  file: JournalFile;
  /** Writes how a send ended to the database, with as few locks as possible. */
  settle(end: SendEnd): Promise<Next>;
  log: Log;
}

const firstPauseMs = 100;
const longestPauseMs = 1000;
/** After a failed write, ends are written one by one for this time. */
const hamperedForMs = 5000;
const maxUnmade = 1000;
/** Counted from the beginning of the shutdown: a process is killed after 24 s. */
const breaksOffCallsAfterMs = 6000;
const givesUpAfterMs = 8000;

/**
 * Knowledge of this process about its sends that the database does not have: ends that aren't written yet, in memory
 * and, from the first failed write on, in a file; sends that were begun but not made; and that the process stops. A
 * part whose end is known is never sent again.
 */
export class SendJournal {
  /**
   * The numbers of sends that were begun in a commit whose response was lost, and not made, by part. One that falls out
   * counts as uncertain.
   */
  readonly unmade = new LRUCache<string, number>({ max: maxUnmade });
  readonly #options: Options;
  readonly #unwritten = new Set<SendEnd>();
  /** Files whose parts this installation does not have. */
  readonly #foreign = new Set<string>();
  readonly #calls = new AbortController();
  readonly #givingUp = new AbortController();
  readonly #timers: NodeJS.Timeout[] = [];
  #hamperedUntil = 0;
  #isClosing = false;

  constructor(options: Options) {
    this.#options = options;
  }

  /** True once no further send may begin. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** Aborts calls that would outlast the process. */
  get callsSignal(): AbortSignal {
    return this.#calls.signal;
  }

  /** Aborted when the process waits for the database no longer. */
  get givingUpSignal(): AbortSignal {
    return this.#givingUp.signal;
  }

  /** Lets no further send begin, and ends running ones within 8 s: a response that has arrived still counts. */
  close(): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    this.#timers.push(
      setTimeout(() => afterPoll(() => this.#calls.abort()), breaksOffCallsAfterMs),
      setTimeout(() => this.giveUp(), givesUpAfterMs),
    );
  }

  /** Called when all sends have ended. */
  closed(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.giveUp();
    const { log } = this.#options;
    if (this.count > 0) log.warn({ outcomes: this.count }, 'outcomes of sends are left in a file');
  }

  /** Stops waiting for the database: what isn't written stays in the file. */
  giveUp(): void {
    this.#givingUp.abort();
  }

  /** Whether a larger transaction failed recently. */
  get isHampered(): boolean {
    return performance.now() < this.#hamperedUntil;
  }

  /** The number of ends that are not written yet. */
  get count(): number {
    return this.#unwritten.size;
  }

  /**
   * Writes an end alone, however long that takes, as is done for a while after a larger transaction failed. Resolves
   * with `undefined` when the process ends first: then the next process finds it in the file.
   */
  async write(end: SendEnd): Promise<Next | undefined> {
    if (!this.isHampered) this.#hamperedUntil = performance.now() + hamperedForMs;
    const first = await this.#settle(end);
    if (first) return first;
    this.#unwritten.add(end);
    await this.#keep();
    const settled = await this.#untilSettled(end);
    if (!settled) return undefined;
    this.#unwritten.delete(end);
    await this.#keep();
    return settled;
  }

  /** Writes the ends that ended processes left in files. Resolves when all are written, or when it is given up. */
  async restore({ atStart }: { atStart: boolean }): Promise<void> {
    const { file, log } = this.#options;
    for (const left of await file.listLeftBehind({ atStart })) {
      if (this.#foreign.has(left.path) && !left.isOld) continue;
      for (const end of left.ends) if (!(await this.#untilSettled(end))) return;
      // Another installation may share the folder: its outcomes, unknown here, are kept for it.
      const isOurs = await this.#hasAll(left);
      if (isOurs) log.info({ outcomes: left.ends.length }, 'wrote the outcomes that an ended process left');
      if (!isOurs && !left.isOld) this.#foreign.add(left.path);
      else
        await file
          .remove(left)
          .catch((error: unknown) => log.warn({ err: error }, 'could not remove a file of outcomes'));
    }
  }

  async #untilSettled(end: SendEnd): Promise<Next | undefined> {
    const { signal } = this.#givingUp;
    for (let waitMs = firstPauseMs; !signal.aborted; waitMs = Math.min(longestPauseMs, waitMs * 2)) {
      const settled = await this.#settle(end);
      if (settled) return settled;
      await pause(waitMs, undefined, { signal }).catch(() => undefined);
    }
    return undefined;
  }

  async #settle(end: SendEnd): Promise<Next | undefined> {
    const { settle, log } = this.#options;
    try {
      return await settle(end);
    } catch (error) {
      log.warn({ err: error, partId: end.partId }, 'the outcome of a send is not written yet');
      return undefined;
    }
  }

  async #hasAll({ ends }: LeftBehind): Promise<boolean> {
    const { database } = this.#options;
    const tenantIds = ends.map(({ tenantId }) => tenantId);
    if (tenantIds.length === 0) return true;
    const existing = await withTenant(database, tenantIds, (tx) => listExistingParts(tx, ends));
    return ends.every(({ partId }) => existing.has(partId));
  }

  async #keep(): Promise<void> {
    const { file, log } = this.#options;
    await file
      .write([...this.#unwritten])
      .catch((error: unknown) => log.error({ err: error }, 'could not store outcomes of sends in a file'));
  }
}
