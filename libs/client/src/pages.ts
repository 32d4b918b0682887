/** A page of a list, newest first. `next` is the cursor for `before`; `null` on the last page. */
export interface ListPage<Item> {
  items: Item[];
  next: string | null;
}

const nextLink = /<([^>]*)>\s*;[^,]*\brel="?next"?/;

/** The cursor in a `Link` header with `rel="next"`. */
export function nextCursor(link: string | null): string | null {
  const [, address] = nextLink.exec(link ?? '') ?? [];
  return address === undefined ? null : new URL(address, 'http://list.invalid').searchParams.get('before');
}

/** Yields every page. Each is requested only after the previous one has been used. */
export async function* eachPage<Item>(
  read: (before: string | null) => Promise<ListPage<Item>>,
): AsyncGenerator<Item[], void, undefined> {
  let before: string | null = null;
  do {
    const page: ListPage<Item> = await read(before);
    yield page.items;
    before = page.next;
  } while (before !== null);
}

/** Every item of every page. */
export async function* eachItem<Item>(
  pages: AsyncIterable<readonly Item[]>,
): AsyncGenerator<Item, void, undefined> {
  for await (const items of pages) yield* items;
}
