import type { SortedPageRequest } from '@botyard/contracts/http/sorted-page';
import { type AnyPgColumn, asc, desc, type SQL, sql } from './drizzle.ts';

/** The SQL expression of each sort field; `null` if the field is sorted by identifier. */
type SortColumns<Field extends string> = Readonly<Record<Field, SortColumn | null>>;
/** The fields of a list's `sort` values. */
type FieldOf<Sort extends string> = Sort extends `-${string}` ? never : Sort;

interface SortColumn {
  by: SQL;
  /** Converts a cursor's value to the type of `by`. */
  read: (value: string) => SQL;
}

export const byMoment = (column: AnyPgColumn | SQL): SortColumn => ({
  by: sql`${column}`,
  read: (value) => sql`${value}::timestamptz`,
});

/** Ignores case; `null` counts as an empty text. */
export const byText = (column: AnyPgColumn | SQL): SortColumn => ({
  by: sql`lower(coalesce(${column}, ''))`,
  read: (value) => sql`lower(${value}::text)`,
});

/**
 * A condition that is always true, for indexes that only lists should use. Statements of the message path may be
 * planned while their tables are empty: they would then look up single rows by any other index that begins with the
 * tenant.
 */
export const isListed = (moment: AnyPgColumn): SQL => sql`${moment} > '-infinity'`;

interface Sorted {
  /** Condition for rows after the cursor; `undefined` on the first page. */
  after: SQL | undefined;
  order: SQL[];
}

/** The order of a list and the start of its page. Items with equal values are ordered by identifier. */
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
 * The name of a list's statement with these filters. Each set of filters has its own plan: by the index of the
 * filtered column, or by the list's own order without filters. With all of its filters a name has at most 63
 * characters, the most that Postgres tells apart.
 */
export const nameFor = (list: string, filters: Readonly<Record<string, unknown>>): string =>
  [list, ...Object.keys(filters).filter((name) => filters[name] !== undefined)].join(' ');
