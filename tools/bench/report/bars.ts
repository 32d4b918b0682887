import { frame, text } from './svg.ts';

/** A bar chart of the shares of a whole. */
interface Bars {
  title: string;
  /** Describes the whole, below the title. */
  subtitle: string;
  bars: readonly { name: string; share: number }[];
}

const width = 720;
const rowHeight = 22;
const top = 64;
const plot = { left: 260, right: 640 };

export function drawBars({ title, subtitle, bars }: Bars): string {
  const largest = Math.max(...bars.map(({ share }) => share), 0.01);
  const rows = bars.flatMap(({ name, share }, index) => {
    const y = top + index * rowHeight;
    const length = Math.max(1, Math.round(((plot.right - plot.left) * share) / largest));
    return [
      text(plot.left - 10, y + 12, name, 'text-anchor="end"'),
      `<rect x="${plot.left}" y="${y}" width="${length}" height="${rowHeight - 6}" fill="#0072b2"/>`,
      text(plot.left + length + 8, y + 12, `${(share * 100).toFixed(1)} %`),
    ];
  });
  return [
    ...frame({ title, width, height: top + bars.length * rowHeight + 16 }),
    text(16, 26, title, 'font-size="15" font-weight="600"'),
    text(16, 46, subtitle),
    ...rows,
    '</svg>',
    '',
  ].join('\n');
}
