import { z } from 'zod';

export const limit = z.coerce.number().int().min(1).max(500).default(100);

/** Query of every list (REQ-HTTP-2): newest first, `limit` up to 500, `before` an opaque cursor. */
export const PageQuery = pageQueryBy(z.uuid());

/** The same for a list whose cursors hold something other than an identifier; `place` validates it. */
export function pageQueryBy(place: z.ZodType<string>) {
  return z.object({
    limit,
    before: z.string().max(200).transform(cursorReader(place)).optional(),
  });
}

export interface PageRequest {
  limit: number;
  /** Identifier (UUIDv7, so ordered by time) below which the page starts. */
  before?: string | undefined;
}

/** A page of a list. `next` is the identifier of its last item if there are more. */
export interface Page<Item> {
  items: Item[];
  next?: string | undefined;
}

/** Makes a page from rows. Read one row more than `limit`, so that `next` is known. */
export function pageOf<Row, Item>(
  rows: readonly Row[],
  request: PageRequest,
  map: (row: Row) => Item,
  idOf: (row: Row) => string,
): Page<Item> {
  const shown = rows.slice(0, request.limit);
  const last = shown.at(-1);
  return { items: shown.map(map), next: rows.length > request.limit && last ? idOf(last) : undefined };
}

/** The same for rows that are shown as they are. */
export function pageOfRows<Row>(
  rows: readonly Row[],
  request: PageRequest,
  idOf: (row: Row) => string,
): Page<Row> {
  const show = (row: Row) => row;
  return pageOf(rows, request, show, idOf);
}

/** Writes base64url with what browsers and Node 24 both have. */
export function writeCursor(id: string): string {
  const bytes = String.fromCharCode(...new TextEncoder().encode(id));
  return btoa(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Reads a cursor that `writeCursor` wrote; `place` validates its content. */
export function cursorReader(place: z.ZodType<string>) {
  return (cursor: string, ctx: z.RefinementCtx): string => {
    const read = place.safeParse(readText(cursor));
    if (read.success) return read.data;
    ctx.addIssue({ code: 'custom', message: 'is not a cursor of this list' });
    return z.NEVER;
  };
}

function readText(cursor: string): string | undefined {
  try {
    const bytes = atob(cursor.replaceAll('-', '+').replaceAll('_', '/'));
    return new TextDecoder().decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
  } catch {
    return undefined;
  }
}
