import { type Database, withPlatform } from '../db/database.ts';
import { boolean } from '../db/expressions.ts';
import { columns, type TypedSql, typedSql } from '../db/typed-sql.ts';
import type { Log } from '../log/log.ts';
import type { Worker } from './worker.ts';

/** Work in the database that becomes due at some time. */
interface DueWork {
  /** Unique within the service. */
  name: string;
  /** SQL with a constant text that is true if something is due now. It may be true too often, never too seldom. */
  isDue: string;
  /**
   * Starts the work. Called again every second while something is due, so it does nothing while the work is running.
   */
  wake(): void;
}

interface DueWatchOptions {
  database: Database;
  schema: string;
  log: Log;
}

const lookEveryMs = 1000;
/** After this many checks, the next work is woken in any case. */
const looksForOne = 5;

/**
 * Checks every second, in one statement, which of a process's works are due, such as work of a process that died. At
 * rest this costs one exchange instead of one per worker. Every five seconds one work in turn is woken in any case.
 * While the check fails, all works are woken every second, so that each reports that it can't continue.
 */
export class DueWatch implements Worker {
  readonly #options: DueWatchOptions;
  readonly #all: DueWork[] = [];
  #text: TypedSql<Record<string, boolean>> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  /** True after a failed check: the next one wakes every work, so that each notices the recovery. */
  #hasFailed = false;
  #looks = 0;

  constructor(options: DueWatchOptions) {
    this.#options = options;
  }

  /** Call before `start`. */
  add(work: DueWork): void {
    this.#all.push(work);
  }

  start(): void {
    this.#timer = setInterval(() => void this.look(), lookEveryMs).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
  }

  /** Runs one check at a time. */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #look(): Promise<void> {
    const hadFailed = this.#hasFailed;
    const due = await this.#ask().catch((error: unknown) => {
      this.#options.log.debug({ err: error }, 'what is due could not be asked');
      return undefined;
    });
    this.#hasFailed = due === undefined;
    const next = this.#nextInAnyCase();
    for (const work of this.#all) if (hadFailed || !due || due[work.name] || work === next) work.wake();
  }

  #nextInAnyCase(): DueWork | undefined {
    this.#looks += 1;
    if (this.#looks % looksForOne !== 0) return undefined;
    return this.#all[(this.#looks / looksForOne) % this.#all.length];
  }

  #textOfAll(): TypedSql<Record<string, boolean>> {
    const conditions = this.#all.map(({ name, isDue }) => [name, boolean(isDue)] as const);
    return typedSql`select ${columns(Object.fromEntries(conditions))}`;
  }

  async #ask(): Promise<Readonly<Record<string, boolean>>> {
    const { database, schema } = this.#options;
    const text = this.#text ?? this.#textOfAll();
    this.#text = text;
    const [row] = await withPlatform(
      database,
      'what is due',
      (tx) => tx.query({ name: `${schema}.due`, text, values: [] }),
      { isDurable: false, isOneRoundTrip: true },
    );
    return row ?? {};
  }
}
