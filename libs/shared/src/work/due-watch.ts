import { type Database, withPlatformRelaxed } from '../db/database.ts';
import { boolean } from '../db/expressions.ts';
import { columns, type TypedSql, typedSql } from '../db/typed-sql.ts';
import type { Log } from '../log/log.ts';
import type { Worker } from './worker.ts';

/** Something in the database that waits for its time. */
interface DueWork {
  /** Unique among the service's due work. */
  name: string;
  /** SQL of a fixed text that is true when something is due now. It may be true too often, never too seldom. */
  isDue: string;
  /** Begins the work. Called again every second while something is due, so it does nothing where the work goes on. */
  wake(): void;
}

interface DueWatchOptions {
  database: Database;
  schema: string;
  log: Log;
}

const lookEveryMs = 1000;
/** So many looks, and the next of all is woken in any case. */
const looksForOne = 5;

/**
 * Asks every second in one statement which of a process's work is due, such as what a process that died has left
 * behind: at rest that costs one exchange, where each worker by itself would cost one. Every five seconds the next of
 * them looks in any case. While it can't ask, it wakes all of them every second: each then tells by itself that it
 * can't go on.
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

  /** To be called before `start`. */
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

  /** One at a time. */
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
    const [row] = await withPlatformRelaxed(database, 'what is due', (tx) =>
      tx.query({ name: `${schema}.due`, text, values: [] }),
    );
    return row ?? {};
  }
}
