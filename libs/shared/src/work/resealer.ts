import { type Database, withPlatform } from '../db/database.ts';
import { text } from '../db/expressions.ts';
import { unnest } from '../db/named-values.ts';
import { columns, typedSql } from '../db/typed-sql.ts';
import type { Log } from '../log/log.ts';
import type { Binding, Keyring } from '../secrets/keyring.ts';
import { createPeriodic, type Periodic } from './periodic.ts';

/** A column that holds values sealed by `SECRETS_KEYS`. */
export interface SealedColumn {
  /** `schema.table`. */
  table: string;
  column: string;
  /** A unique column that orders the walk through the table. */
  id: { column: string; type: 'uuid' | 'text' };
  /** Columns beside the id that are part of the binding. */
  bindingColumns: readonly string[];
  /** The binding of a row's value, from the texts of its id and the named columns. */
  binding(row: Readonly<Record<string, string>>): Binding;
}

export interface ResealerOptions {
  database: Database;
  keyring: Keyring;
  columns: readonly SealedColumn[];
  log: Log;
  everyMs?: number;
}

/** Counts of one walk through a column. */
interface Progress {
  resealed: number;
  /** Values that were changed concurrently, and so were resealed already. */
  overtaken: number;
  /** Values that were altered, or whose key was removed from `SECRETS_KEYS`: not changed. */
  unreadable: number;
}

interface SealedRow extends Record<string, string> {
  id: string;
  sealed: string;
}

const defaultEveryMs = 5 * 60_000;
const batchSize = 100;

/**
 * After a rotation of `SECRETS_KEYS`, reseals values that another key than the first had sealed (REQ-REL-16): at the
 * start, and every few minutes for what instances with the older setting still write. A value is replaced only if it
 * is still the one that was read, so a concurrent change wins, and several instances can run at once.
 */
export class Resealer {
  readonly #options: ResealerOptions;
  readonly #walks: Periodic;

  constructor(options: ResealerOptions) {
    this.#options = options;
    this.#walks = createPeriodic({
      name: 'seal secrets anew',
      everyMs: options.everyMs ?? defaultEveryMs,
      work: (isStopped) => this.#walk(isStopped),
      log: options.log,
    });
  }

  start(): void {
    this.#walks.start();
    this.#walks.wake();
  }

  stop(): Promise<void> {
    return this.#walks.stop();
  }

  wake(): void {
    this.#walks.wake();
  }

  async #walk(isStopped: () => boolean): Promise<void> {
    const { columns, log } = this.#options;
    for (const column of columns) {
      const place = `${column.table}.${column.column}`;
      try {
        const progress = await this.#walkColumn(column, isStopped);
        if (progress.resealed > 0) log.info({ column: place, ...progress }, 'secrets were sealed anew');
        if (progress.unreadable > 0) log.error({ column: place, ...progress }, 'secrets can not be opened');
      } catch (error) {
        log.warn({ err: error, column: place }, 'secrets could not be sealed anew; it is tried again');
      }
    }
  }

  async #walkColumn(column: SealedColumn, isStopped: () => boolean): Promise<Progress> {
    const progress: Progress = { resealed: 0, overtaken: 0, unreadable: 0 };
    let after: string | null = null;
    while (!isStopped()) {
      const rows: SealedRow[] = await this.#readBatch(column, after);
      const renewed = (await Promise.all(rows.map((row) => this.#renew(column, row)))).filter((row) => !!row);
      progress.unreadable += rows.length - renewed.length;
      if (renewed.length > 0) {
        const written = await this.#write(column, renewed);
        progress.resealed += written;
        progress.overtaken += renewed.length - written;
      }
      if (rows.length < batchSize) break;
      after = rows.at(-1)?.id ?? null;
    }
    return progress;
  }

  #readBatch(
    { table, column, id, bindingColumns }: SealedColumn,
    after: string | null,
  ): Promise<SealedRow[]> {
    const bound = bindingColumns.map((name) => [name, text(`${name}::text`)] as const);
    const row = columns({
      ...Object.fromEntries(bound),
      id: text(`${id.column}::text`),
      sealed: text(column),
    });
    return withPlatform(this.#options.database, 'values sealed by an older key', (tx) =>
      tx.query({
        name: `reseal.read.${table}.${column}`,
        text: typedSql`select ${row} from ${table}
               where ${column} is not null and not starts_with(${column}, $1)
                 and ($2::${id.type} is null or ${id.column} > $2::${id.type})
               order by ${id.column} limit ${batchSize}`,
        values: [this.#options.keyring.sealedPrefix, after],
      }),
    );
  }

  async #renew(
    column: SealedColumn,
    row: SealedRow,
  ): Promise<{ id: string; before: string; after: string } | undefined> {
    const { keyring } = this.#options;
    const binding = column.binding({ ...row, [column.id.column]: row.id });
    try {
      const secret = await keyring.open(row.sealed, binding);
      return { id: row.id, before: row.sealed, after: await keyring.seal(secret, binding) };
    } catch {
      return undefined;
    }
  }

  async #write(
    { table, column, id }: SealedColumn,
    rows: readonly { id: string; before: string; after: string }[],
  ): Promise<number> {
    const renewed = unnest('renewed', { id: id.type, before: 'text', after: 'text' });
    const written = await withPlatform(
      this.#options.database,
      'sealing anew',
      (tx) =>
        tx.query({
          name: `reseal.write.${table}.${column}`,
          text: `update ${table} set ${column} = renewed.after
               from ${renewed}
               where ${id.column} = renewed.id and ${column} = renewed.before returning 1`,
          values: renewed.values(rows),
        }),
      { isDurable: false, isOneRoundTrip: true },
    );
    return written.length;
  }
}
