import { escaped, frame, round, text } from './svg.ts';

/** A line chart. */
export interface Chart {
  /** The name of the file, without its extension. */
  file: string;
  title: string;
  /** Up to ten values are drawn at even distances, because sizes double or grow tenfold; more values to scale. */
  x: { label: string; values: readonly number[] };
  yLabel: string;
  lines: readonly { name: string; values: readonly number[] }[];
}

const [width, height] = [720, 400];
const plot = { left: 70, right: 500, top: 50, bottom: 340 };
/** Colors that are distinguishable with color blindness. Further lines are dashed. */
const colors = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#444444', '#8c564b'];
const evenUpTo = 10;

/** A standalone SVG with a white background, readable on any page. */
export function drawChart({ title, x, yLabel, lines }: Chart): string {
  const top = niceCeiling(Math.max(...lines.flatMap(({ values }) => values.filter(Number.isFinite)), 0));
  const xAt = scaleOf(x.values);
  const yAt = (value: number) => plot.bottom - (value / top) * (plot.bottom - plot.top);
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((part) => part * top);
  return [
    ...frame({ title, width, height }),
    text(plot.left, 26, title, 'font-size="15" font-weight="600"'),
    ...ticks.flatMap((tick) => [
      `<line x1="${plot.left}" x2="${plot.right}" y1="${round(yAt(tick))}" y2="${round(yAt(tick))}" stroke="#ddd"/>`,
      text(plot.left - 8, yAt(tick) + 4, short(tick), 'text-anchor="end"'),
    ]),
    ...labelled(x.values).map((value) =>
      text(xAt(value), plot.bottom + 20, short(value), 'text-anchor="middle"'),
    ),
    text((plot.left + plot.right) / 2, plot.bottom + 44, x.label, 'text-anchor="middle"'),
    `<text transform="translate(18 ${(plot.top + plot.bottom) / 2}) rotate(-90)" text-anchor="middle" fill="#222">${escaped(yLabel)}</text>`,
    ...lines.flatMap((line, index) => drawLine(line, { xs: x.values.map(xAt), yAt, index })),
    '</svg>',
    '',
  ].join('\n');
}

function drawLine(
  { name, values }: Chart['lines'][number],
  { xs, yAt, index }: { xs: readonly number[]; yAt: (value: number) => number; index: number },
): string[] {
  const stroke = `stroke="${colors[index % colors.length]}" stroke-width="2"${index < colors.length ? '' : ' stroke-dasharray="5 3"'}`;
  const points = values.flatMap((value, at) =>
    Number.isFinite(value) ? [`${round(xs[at] ?? 0)},${round(yAt(value))}`] : [],
  );
  const legendY = plot.top + 10 + index * 20;
  return [
    `<polyline points="${points.join(' ')}" fill="none" ${stroke}/>`,
    ...(points.length <= evenUpTo
      ? points.map(
          (point) =>
            `<circle cx="${point.replace(',', '" cy="')}" r="3.5" fill="${colors[index % colors.length]}"/>`,
        )
      : []),
    `<line x1="${plot.right + 16}" x2="${plot.right + 36}" y1="${legendY}" y2="${legendY}" ${stroke}/>`,
    text(plot.right + 42, legendY + 4, name),
  ];
}

function scaleOf(values: readonly number[]): (value: number) => number {
  const [first = 0, last = 1] = [values[0], values.at(-1)];
  const isEven = values.length <= evenUpTo;
  return (value) => {
    const part = isEven
      ? values.indexOf(value) / Math.max(values.length - 1, 1)
      : (value - first) / (last - first);
    return plot.left + 16 + part * (plot.right - plot.left - 32);
  };
}

/** Returns all labels if there are few, or else round ones between the first and the last. */
function labelled(values: readonly number[]): number[] {
  if (values.length <= evenUpTo) return [...values];
  const [first = 0, last = 1] = [values[0], values.at(-1)];
  const step = niceCeiling((last - first) / 6);
  const count = Math.floor(last / step) - Math.ceil(first / step) + 1;
  return Array.from({ length: count }, (_, index) => (Math.ceil(first / step) + index) * step);
}

function niceCeiling(value: number): number {
  if (value <= 0) return 1;
  const size = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 4, 5, 8, 10].find((step) => step * size >= value) ?? 10) * size;
}

const short = (value: number): string => Number(value.toPrecision(3)).toLocaleString('en');
