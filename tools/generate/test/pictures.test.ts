import { expect, test } from 'vitest';
import { createGraph, type Graph, heightsOf, withoutShortcuts } from '../pictures/graph.ts';
import { layOut } from '../pictures/layout.ts';
import { drawArrows } from '../pictures/svg.ts';

/** `a: b c` says that `a` uses `b` and `c`. */
function arrowsOf(...lines: string[]): Map<string, Map<string, string>> {
  return new Map(
    lines.map((line) => {
      const [from = '', targets = ''] = line.split(': ');
      return [from, new Map(targets.split(' ').map((to) => [to, `${from} imports ${to}`]))];
    }),
  );
}

const graphOf = (...lines: string[]): Graph => createGraph(arrowsOf(...lines));

test('a graph is the same whatever the order of the arrows, and an arrow that closes a circle is left out', () => {
  const graph = graphOf('a: b', 'b: c', 'c: a d');
  expect([...graph]).toEqual([
    ['a', ['b']],
    ['b', ['c']],
    ['c', ['d']],
    ['d', []],
  ]);
  expect([...graphOf('c: d a', 'b: c', 'a: b')]).toEqual([...graph]);
});

test('an arrow that a longer way says is left out', () => {
  expect([...withoutShortcuts(graphOf('a: b c d', 'b: c', 'c: d'))]).toEqual([
    ['a', ['b']],
    ['b', ['c']],
    ['c', ['d']],
    ['d', []],
  ]);
});

test('a part stands above all that it uses, and one that only others use just beneath them', () => {
  const heights = heightsOf(graphOf('a: b e', 'b: c', 'c: d'));
  expect(Object.fromEntries(heights)).toEqual({ a: 3, b: 2, c: 1, d: 0, e: 2 });
});

test('arrows that need not cross do not, lead down row by row, and no boxes touch', () => {
  const graph = graphOf('a: p q', 'b: o', 'c: n', 'n: m', 'm: p', 'o: q');
  const { rows, arrows } = layOut(graph, (name) => name.length * 10 + 20);
  for (const row of rows) {
    for (const [index, item] of row.entries()) {
      const next = row[index + 1];
      if (next) expect(item.x + item.width / 2).toBeLessThan(next.x - next.width / 2);
    }
  }
  for (const arrow of arrows)
    expect(arrow.map(({ row }) => row)).toEqual(arrow.map((_, index) => (arrow[0]?.row ?? 0) + index));
  const steps = arrows.flatMap((arrow) => arrow.slice(1).map((to, index) => ({ from: arrow[index], to })));
  const crossing = steps.flatMap((one) =>
    steps.filter(
      (other) =>
        other.to.row === one.to.row && (one.from?.x ?? 0) < (other.from?.x ?? 0) && one.to.x > other.to.x,
    ),
  );
  expect(crossing).toEqual([]);
});

test('a picture has each box and each arrow once, and says the arrows for those who do not see it', () => {
  const picture = drawArrows('A house', arrowsOf('roof: walls', 'walls: libs/ground'));
  expect(picture.match(/<rect/g)).toHaveLength(3);
  expect(picture.match(/marker-end/g)).toHaveLength(2);
  expect(picture).toContain('>roof uses walls. walls uses libs/ground.<');
  expect(picture).toContain('prefers-color-scheme: dark');
});
