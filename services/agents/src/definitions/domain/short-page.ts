/** Size that fits into one message of the bus, with room for the rest. */
const maxBytes = 400_000;

/**
 * A page of items that were read with one more than `limit`, shortened to fit into a message of the bus; never empty if
 * there are items. `next` is set if there are more.
 */
export function shortPage<Item>(
  items: readonly Item[],
  limit: number,
  idOf: (item: Item) => string,
): { items: Item[]; next?: string | undefined } {
  const shown: Item[] = [];
  let bytes = 0;
  for (const item of items.slice(0, limit)) {
    bytes += Buffer.byteLength(JSON.stringify(item));
    if (bytes > maxBytes && shown.length > 0) break;
    shown.push(item);
  }
  const last = shown.at(-1);
  return { items: shown, next: last && shown.length < items.length ? idOf(last) : undefined };
}
