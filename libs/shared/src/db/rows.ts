import type { PageRequest } from '@botyard/contracts/http/page';
import { type HttpError, notFound } from '../http/errors.ts';
import type { AnyTx } from './database.ts';
import { type AnyPgColumn, and, desc, eq, lt, type PgTable, type SQL, type Table } from './drizzle.ts';
import { isForeignKeyViolation, isUniqueViolation } from './failures.ts';

type RowIn<Of extends Table> = Of['$inferSelect'];
/** Values that columns have to equal; `undefined` ignores a column. */
type Filter<Row> = { [Name in keyof Row]?: NonNullable<Row[Name]> | undefined };

/** New values of columns; `undefined` doesn't change a column. */
type Change<Row> = { [Name in keyof Row]?: Row[Name] | SQL | undefined };

type Strength = 'update' | 'no key update' | 'share' | 'key share';
/** A query whose text tests can read. */
type Listed<Row> = Promise<Row[]> & { toSQL(): { sql: string; params: unknown[] } };

/**
 * The statements that every table with a key needs. `key` names the key's columns; the last one is a UUIDv7, so it
 * orders the rows by time. A whole row is also accepted as a key.
 */
export function rowsOf<Of extends Table, Name extends keyof RowIn<Of> & string>(table: Of, ...key: Name[]) {
  type Row = RowIn<Of>;
  type Key = Pick<Row, Name>;
  const columns = table as unknown as Readonly<Record<string, AnyPgColumn>>;
  const source = table as unknown as InstanceType<typeof PgTable>;
  const id = columns[key.at(-1)!]!;
  const matches = (row: Key): SQL | undefined => and(...key.map((name) => eq(columns[name]!, row[name])));
  const where = (filter: Filter<Row>, ...conditions: (SQL | undefined)[]): SQL | undefined => {
    const conditionEntries = Object.entries(filter).filter(([, value]) => value !== undefined);
    return and(...conditionEntries.map(([name, value]) => eq(columnIn(columns, name), value)), ...conditions);
  };
  const get = async (tx: AnyTx, row: Key): Promise<Row | undefined> => {
    const [found] = await tx.db.select().from(source).where(matches(row));
    return found;
  };
  return {
    matches,
    get,
    /** Like `get`; locks the row until the transaction ends. */
    lock: async (tx: AnyTx, row: Key, strength: Strength = 'update'): Promise<Row | undefined> => {
      const [found] = await tx.db.select().from(source).where(matches(row)).for(strength);
      return found;
    },
    /** Newest first, with one row more than the page's limit. */
    list: (
      tx: AnyTx,
      filter: Filter<Row>,
      { limit, before }: PageRequest,
      ...conditions: (SQL | undefined)[]
    ): Listed<Row> =>
      tx.db
        .select()
        .from(source)
        .where(where(filter, ...conditions, before ? lt(id, before) : undefined))
        .orderBy(desc(id))
        .limit(limit + 1),
    /** The newest matching row. */
    first: async (
      tx: AnyTx,
      filter: Filter<Row>,
      ...conditions: (SQL | undefined)[]
    ): Promise<Row | undefined> => {
      const rows = tx.db
        .select()
        .from(source)
        .where(where(filter, ...conditions));
      const [row] = await rows.orderBy(desc(id)).limit(1);
      return row;
    },
    count: (tx: AnyTx, filter: Filter<Row>): Promise<number> => tx.db.$count(source, where(filter)),
    /** Returns the updated row; `undefined` if there is none. */
    update: async (tx: AnyTx, row: Key, change: Change<Row>): Promise<Row | undefined> => {
      if (Object.values(change).every((value) => value === undefined)) return await get(tx, row);
      const [changed] = await tx.db.update(source).set(change).where(matches(row)).returning();
      return changed;
    },
    /** Returns whether the row existed. */
    remove: async (tx: AnyTx, row: Key): Promise<boolean> => {
      const removed = await tx.db.delete(source).where(matches(row)).returning({ id });
      return removed.length > 0;
    },
    /** Like `remove`; returns the removed row, or `undefined` if there was none. */
    removeReturning: async (tx: AnyTx, row: Key): Promise<Row | undefined> => {
      const [removed] = await tx.db.delete(source).where(matches(row)).returning();
      return removed;
    },
  };
}

function columnIn(columns: Readonly<Record<string, AnyPgColumn>>, name: string): AnyPgColumn {
  const column = columns[name];
  if (!column) throw new Error(`a filter names "${name}", which is no column`);
  return column;
}

/**
 * Returns the thing if it exists.
 * @throws HttpError 404 otherwise.
 */
export function found<Thing>(thing: Thing | null | undefined | false, what: string): Thing {
  if (!thing) throw notFound(what);
  return thing;
}

type Refusal = (cause: unknown) => HttpError;

/** Runs a statement. A violation of one of the named constraints becomes the error listed with it. */
export async function translated<Result>(
  statement: PromiseLike<Result>,
  refusals: Readonly<Record<string, Refusal>>,
): Promise<Result> {
  try {
    return await statement;
  } catch (error) {
    const isBroken = (name: string) => isUniqueViolation(error, name) || isForeignKeyViolation(error, name);
    const [, refusal] = Object.entries(refusals).find(([name]) => isBroken(name)) ?? [];
    throw refusal ? refusal(error) : error;
  }
}
