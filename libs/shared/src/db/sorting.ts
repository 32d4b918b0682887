import type { SortedPageRequest } from '@botyard/contracts/http/sorted-page';
import { type AnyPgColumn, asc, desc, type SQL, sql } from './drizzle.ts';

/** Each sort field in SQL: `null` where the identifiers are its order. */
type SortColumns<Field extends string> = Readonly<Record<Field, SortColumn | null>>;
/** The fields that a list is sorted by, of its values of `sort`. */
type FieldOf<Sort extends string> = Sort extends `-${string}` ? never : Sort;

interface SortColumn {
  by: SQL;
  /** The value of a cursor, as `by` has it. */
  read: (value: string) => SQL;
}

export const byMoment = (column: AnyPgColumn | SQL): SortColumn => ({
  by: sql`${column}`,
  read: (value) => sql`${value}::timestamptz`,
});

/** In any case; `null` counts as an empty text. */
export const byText = (column: AnyPgColumn | SQL): SortColumn => ({
  by: sql`lower(coalesce(${column}, ''))`,
  read: (value) => sql`lower(${value}::text)`,
});

/**
 * True of every moment, and the condition of an index that only lists are to use. Statements of the message path may be
 * planned when their tables are empty: they would take any other index that begins with the tenant for looking up a
 * single row.
 */
export const isListed = (moment: AnyPgColumn): SQL => sql`${moment} > '-infinity'`;

interface Sorted {
  /** Condition for rows after the cursor; `undefined` on the first page. */
  after: SQL | undefined;
  order: SQL[];
}

/** The order of a list, and where its page begins. Items that are equal in the field are ordered by identifier. */
export function sorted<Sort extends string>(
  { sort, before }: SortedPageRequest<Sort>,
  columns: SortColumns<FieldOf<Sort>>,
  id: AnyPgColumn | SQL,
): Sorted {
  const isDescending = sort.startsWith('-');
  const column = columns[sort.replace('-', '') as FieldOf<Sort>];
  const direction = isDescending ? desc : asc;
  const order = column ? [direction(column.by), direction(sql`${id}`)] : [direction(sql`${id}`)];
  if (!before) return { after: undefined, order };
  const sign = isDescending ? sql`<` : sql`>`;
  const lastId = sql`${before.id}::uuid`;
  const after = column
    ? sql`(${column.by}, ${id}) ${sign} (${column.read(before.value)}, ${lastId})`
    : sql`${id} ${sign} ${lastId}`;
  return { after, order };
}

/** A LIKE pattern for a literal text at any position. */
export const containing = (text: string): string => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;

/**
 * The name of a list's statement with these filters. Each set of filters is planned by itself: by the index of what is
 * looked for, and along the list's own where nothing is.
 */
export const nameFor = (list: string, filters: Readonly<Record<string, unknown>>): string =>
  [list, ...Object.keys(filters).filter((name) => filters[name] !== undefined)].join(' ');
