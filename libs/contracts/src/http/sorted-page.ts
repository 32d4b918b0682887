import { z } from 'zod';
import { parseJson } from '../parse-json.ts';
import { storableMoment } from './common.ts';
import { cursorReader, limit, type Page } from './page.ts';

/** The type of a sort field: an identifier, which is ordered by time; a moment; or a text, case-insensitive. */
type SortKind = 'id' | 'moment' | 'text';
type SortFields = Readonly<Record<string, SortKind>>;
export type SortOf<Fields extends SortFields> = `${'-' | ''}${Extract<keyof Fields, string>}`;

/**
 * The item after which a page of a sorted list begins: `value` is the field's value, `''` when sorted by identifier.
 */
interface SortedPlace {
  value: string;
  id: string;
}

export interface SortedPageRequest<Sort extends string = string> {
  limit: number;
  sort: Sort;
  before?: SortedPlace | undefined;
}

/** A cursor's context: it can't be used with another sort or other filters. */
interface Cursor extends SortedPlace {
  sort: string;
  filters: string;
}

/** A literal search text, case-insensitive. */
export const SearchText = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .refine((text) => !text.includes('\0'), 'must not contain the character U+0000');

/**
 * Query of a list that can be sorted: `sort` names one of the fields, with `-` in front for the last or newest first.
 * The cursor `before` belongs to one sort and the same filters: with others it is 400, with the issue
 * `cursor_mismatch`.
 */
export function sortedPageQuery<const Fields extends SortFields, Filters extends z.ZodRawShape>(
  fields: Fields,
  { usual, filters }: { usual: SortOf<Fields>; filters: Filters },
) {
  const sorts = Object.keys(fields).flatMap((field) => [`-${field}`, field]);
  const sort = z
    .enum(sorts as [SortOf<Fields>, ...SortOf<Fields>[]], { error: `must be one of ${sorts.join(', ')}` })
    .default(usual as never)
    .describe('The field by which the list is sorted. A leading `-` sorts the last or newest first.');
  const before = z
    .string()
    .max(2000)
    .transform(cursorReader(placeIn(fields)))
    .transform(readCursor)
    .optional();
  return z.object({ limit, sort, before, ...filters }).superRefine((query, ctx) => {
    const { before: cursor, sort: wanted } = query as unknown as { before?: Cursor; sort: string };
    if (!cursor || (cursor.sort === wanted && cursor.filters === fingerprintOf(query))) return;
    ctx.addIssue({
      code: 'custom',
      path: ['before'],
      message: 'belongs to another sort order or other filters: start again without it',
    });
  });
}

/** Makes a page from rows in the order of `sort`. Read one row more than `limit`, so that `next` is known. */
export function sortedPageOf<Row, Item>(
  rows: readonly Row[],
  request: SortedPageRequest,
  map: (row: Row) => Item,
  placeOf: (row: Row, field: string) => { value?: Date | string | null; id: string },
): Page<Item> {
  const shown = rows.slice(0, request.limit);
  const last = shown.at(-1);
  const hasMore = rows.length > request.limit && last !== undefined;
  const { sort } = request;
  const place = hasMore ? placeOf(last, sort.replace('-', '')) : undefined;
  return { items: shown.map(map), next: place && writePlace(request, place) };
}

/** The cursor's text, before it is encoded. */
function writePlace(
  request: SortedPageRequest,
  { value = '', id }: { value?: Date | string | null; id: string },
): string {
  const text = value instanceof Date ? value.toISOString() : (value ?? '');
  return JSON.stringify([request.sort, fingerprintOf(request), text, id]);
}

const shapeOf: Readonly<Record<SortKind, z.ZodType<string>>> = {
  id: z.literal(''),
  moment: storableMoment,
  text: z
    .string()
    .max(1000)
    .refine((text) => !text.includes('\0')),
};

/** The text of a cursor of a list with these fields. */
const placeIn = (fields: SortFields): z.ZodType<string> =>
  z.string().refine((text) => {
    const parts = z.tuple([z.string(), z.string(), z.string(), z.uuid()]).safeParse(parseJson(text));
    if (!parts.success) return false;
    const [sort, , value] = parts.data;
    const field = sort.replace('-', '');
    const kind = Object.hasOwn(fields, field) ? fields[field] : undefined;
    return kind !== undefined && shapeOf[kind].safeParse(value).success;
  });

function readCursor(text: string): Cursor {
  const [sort, filters, value, id] = JSON.parse(text) as [string, string, string, string];
  return { sort, filters, value, id };
}

/** A fingerprint of the filters (FNV-1a); the page's position is left out. */
function fingerprintOf(query: object): string {
  const { limit: _limit, before: _before, sort: _sort, ...filters } = query as Record<string, unknown>;
  const setFilters = Object.entries(filters).filter(([, value]) => value !== undefined);
  const text = JSON.stringify(setFilters.sort(([left], [right]) => (left < right ? -1 : 1)));
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash.toString(36);
}
