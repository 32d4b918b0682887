import { expect, test } from 'vitest';
import { drawChart } from '../report/chart.ts';

const chart = {
  file: 'x',
  title: 'A <b> & c',
  x: { label: 'tenants', values: [10, 100, 1000] },
  yLabel: 'CPU-s',
  lines: [
    { name: 'one', values: [1, 2, 4] },
    { name: 'with a gap', values: [3, Number.NaN, 1] },
  ],
};

test('every value has its point, the greatest the highest one, and a value that is missing has none', () => {
  const svg = drawChart(chart);
  const lines = [...svg.matchAll(/<polyline points="([^"]*)"/g)].map(([, points = '']) =>
    points.split(' ').map((point) => Number(point.split(',')[1])),
  );
  expect(lines.map(({ length }) => length)).toEqual([3, 2]);
  const [one = []] = lines;
  expect(one.toSorted((left, right) => right - left)).toEqual(one);
  expect(Math.min(...lines.flat())).toBe(50);
});

test('its texts are escaped', () => {
  const svg = drawChart(chart);
  expect(svg).toContain('A &lt;b&gt; &amp; c');
  expect(svg).not.toContain('<b>');
});

test('a chart without values is still a picture', () => {
  expect(drawChart({ ...chart, lines: [] })).toContain('</svg>');
});
