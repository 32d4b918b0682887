import { type Graph, heightsOf, withoutShortcuts } from './graph.ts';

/** A box, or a point by which a long arrow passes a row. `x` is its middle. */
export interface Item {
  /** Undefined for a point of an arrow. */
  name: string | undefined;
  row: number;
  width: number;
  x: number;
  above: Item[];
  below: Item[];
  /** For a point of an arrow, all of the arrow. */
  way: Item[];
}

interface Layout {
  /** From the top down, each from the left. */
  rows: readonly (readonly Item[])[];
  /** From the box that uses the other one. */
  arrows: readonly (readonly Item[])[];
  width: number;
}

const gap = 18;
const passWidth = 10;
const rounds = 200;

/** Places the parts in rows, so that arrows lead down and cross little. */
export function layOut(whole: Graph, widthOf: (name: string) => number): Layout {
  const graph = withoutShortcuts(whole);
  const heights = heightsOf(graph);
  const top = Math.max(...heights.values());
  const rows: Item[][] = Array.from({ length: top + 1 }, () => []);
  const add = (row: number, name?: string): Item => {
    const width = name === undefined ? passWidth : widthOf(name);
    const item = { name, row, width, x: 0, above: [], below: [], way: [] };
    rows[row]?.push(item);
    return item;
  };
  const boxes = new Map([...graph.keys()].map((name) => [name, add(top - (heights.get(name) ?? 0), name)]));
  const arrows = [...graph].flatMap(([from, targets]) =>
    targets.map((to) => connect(boxes.get(from) as Item, boxes.get(to) as Item, add)),
  );
  sortRows(rows);
  return { rows, arrows, width: placeRows(rows) };
}

function connect(from: Item, to: Item, add: (row: number) => Item): Item[] {
  const passes = Array.from({ length: to.row - from.row - 1 }, (_, index) => add(from.row + 1 + index));
  const way = [from, ...passes, to];
  for (const pass of passes) pass.way = way;
  for (const [index, item] of [...passes, to].entries()) {
    way[index]?.below.push(item);
    item.above.push(way[index] as Item);
  }
  return way;
}

/**
 * Sorts each row by the middle of its neighbours, down and up in turn, and keeps the order with the fewest crossings.
 */
function sortRows(rows: Item[][]): void {
  let best = rows.map((row) => [...row]);
  let fewest = crossingsIn(rows);
  for (let round = 0; round < rounds; round += 1) {
    const side = round % 2 === 0 ? 'above' : 'below';
    for (const row of round % 2 === 0 ? rows : rows.toReversed()) {
      const wanted = new Map(row.map((item, index) => [item, middleOf(item[side], rows) ?? index]));
      row.sort((left, right) => (wanted.get(left) ?? 0) - (wanted.get(right) ?? 0));
    }
    swapNeighbours(rows);
    const crossings = crossingsIn(rows);
    if (crossings >= fewest) continue;
    fewest = crossings;
    best = rows.map((row) => [...row]);
  }
  for (const [index, row] of best.entries()) rows[index] = row;
}

function middleOf(items: readonly Item[], rows: readonly (readonly Item[])[]): number | undefined {
  if (items.length === 0) return undefined;
  return mean(items.map((item) => rows[item.row]?.indexOf(item) ?? 0));
}

/** Swaps items that stand side by side, while that removes crossings. */
function swapNeighbours(rows: Item[][]): void {
  let crossings = crossingsIn(rows);
  for (const row of rows) {
    for (let index = 1; index < row.length; index += 1) {
      const [left, right] = [row[index - 1], row[index]] as [Item, Item];
      [row[index - 1], row[index]] = [right, left];
      const now = crossingsIn(rows);
      if (now < crossings) crossings = now;
      else [row[index - 1], row[index]] = [left, right];
    }
  }
}

function crossingsIn(rows: readonly (readonly Item[])[]): number {
  let crossings = 0;
  for (const row of rows) {
    const ends = row.flatMap((item) =>
      item.below.map((next) => rows[next.row]?.indexOf(next) ?? 0).sort(ascending),
    );
    // Ends of one item are in order, so that only those of different items can cross.
    for (const [index, end] of ends.entries())
      crossings += ends.slice(index + 1).filter((later) => later < end).length;
  }
  return crossings;
}

/**
 * Moves all items towards the middle of their neighbours, as far as the others of the row allow it. Returns the width.
 */
function placeRows(rows: readonly (readonly Item[])[]): number {
  for (const row of rows) place(row, () => 0);
  for (let round = 0; round < rounds; round += 1) {
    for (const row of round % 2 === 0 ? rows : rows.toReversed())
      place(row, (item) => mean(pulling(item).map(({ x }) => x)) ?? item.x);
  }
  const items = rows.flat();
  const left = Math.min(...items.map(({ x, width }) => x - width / 2));
  for (const item of items) item.x = Math.round(item.x - left);
  return Math.ceil(Math.max(...items.map(({ x, width }) => x + width / 2)));
}

/** An item moves to the middle of these. The points of an arrow share theirs, so that long arrows are straight. */
function pulling({ name, above, below, way }: Item): Item[] {
  return name === undefined ? way : [...above, ...below];
}

/**
 * The places nearest to the wanted ones at which the items of a row don't touch: items that would do so move as one
 * block.
 */
function place(row: readonly Item[], wantedX: (item: Item) => number): void {
  const blocks: { items: { item: Item; packed: number }[]; sum: number }[] = [];
  const shiftOf = ({ items, sum }: (typeof blocks)[number]) => sum / items.length;
  /** Where an item would be if all stood side by side, from the first one on. */
  let packed = 0;
  for (const [index, item] of row.entries()) {
    const before = row[index - 1];
    if (before) packed += (before.width + item.width) / 2 + gap;
    let block = { items: [{ item, packed }], sum: wantedX(item) - packed };
    for (let last = blocks.at(-1); last && shiftOf(last) > shiftOf(block); last = blocks.at(-1)) {
      block = { items: [...last.items, ...block.items], sum: last.sum + block.sum };
      blocks.pop();
    }
    blocks.push(block);
  }
  for (const block of blocks) for (const each of block.items) each.item.x = each.packed + shiftOf(block);
}

const ascending = (left: number, right: number): number => left - right;

function mean(numbers: readonly number[]): number | undefined {
  if (numbers.length === 0) return undefined;
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}
