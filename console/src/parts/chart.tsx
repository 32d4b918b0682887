import { useSyncExternalStore } from 'react';
import { Panel } from './controls.tsx';
import { toCsv } from './csv.ts';
import { SaveFile } from './save-file.tsx';
import { count } from './text.tsx';

export interface Bar {
  /** In the table and the file. */
  name: string;
  /** Below the bar; many bars leave out some. */
  short: string;
  value: number;
}

interface ChartProps {
  title: string;
  /** The unit of the values, shown at their axis. */
  unit: string;
  /** The meaning of a bar, shown below the bars. */
  step: string;
  bars: readonly Bar[];
}

/** A bar chart with axes and units, its numbers as a table, and as a CSV file. */
export function Chart({ title, unit, step, bars }: ChartProps) {
  const head = [step, unit];
  const file = `${title.toLowerCase().replace(/[^a-z0-9]+/g, '-')}.csv`;
  return (
    <Panel title={title}>
      {bars.some(({ value }) => value > 0) ? (
        <Drawing title={title} unit={unit} step={step} bars={bars} />
      ) : (
        <p className="text-soft">Nothing in this period.</p>
      )}
      <div className="mt-3 flex flex-wrap items-start gap-3">
        <details className="min-w-0 flex-1 text-sm">
          <summary className="flex min-h-9 cursor-pointer items-center text-soft hover:text-ink">
            Show as a table
          </summary>
          <section
            aria-label={`${title}, as a table`}
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard.
            tabIndex={0}
            className="max-h-72 overflow-auto"
          >
            <table className="w-full border-collapse">
              <thead>
                <tr className="border-b border-line text-soft">
                  <th scope="col" className="py-1.5 pr-4 text-left font-medium">
                    {step}
                  </th>
                  <th scope="col" className="py-1.5 text-right font-medium">
                    {unit}
                  </th>
                </tr>
              </thead>
              <tbody>
                {bars.map(({ name, value }) => (
                  <tr key={name} className="border-b border-line last:border-0">
                    <td className="py-1.5 pr-4">{name}</td>
                    <td className="py-1.5 text-right tabular-nums">{count(value)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
        </details>
        <SaveFile name={file} read={() => toCsv([head, ...bars.map(({ name, value }) => [name, value])])}>
          Export as CSV
        </SaveFile>
      </div>
    </Panel>
  );
}

const wide = { width: 720, height: 200, left: 52, bottom: 38, top: 28, maxLabels: 12 };
/** About as wide as a phone, so that the words keep their size. */
const narrow = { ...wide, width: 340, left: 44, maxLabels: 5 };
const maxBarWidth = 40;

const phone = window.matchMedia('(width < 48rem)');
const onTurn = (changed: () => void): (() => void) => {
  phone.addEventListener('change', changed);
  return () => phone.removeEventListener('change', changed);
};
const useSize = () => (useSyncExternalStore(onTurn, () => phone.matches) ? narrow : wide);

function Drawing({ title, unit, step, bars }: ChartProps) {
  const size = useSize();
  const ticks = ticksOf(Math.max(...bars.map(({ value }) => value)));
  const most = ticks.at(-1) ?? 1;
  const [inside, floor] = [size.height - size.bottom - size.top, size.height - size.bottom];
  const place = (size.width - size.left) / bars.length;
  const width = Math.min(maxBarWidth, place * 0.7);
  const every = Math.ceil(bars.length / size.maxLabels);
  const yOf = (value: number) => floor - (value / most) * inside;
  return (
    <svg
      viewBox={`0 0 ${size.width} ${size.height}`}
      role="img"
      aria-label={`${title}: ${unit} by ${step}. The table below has the numbers.`}
      className="w-full fill-soft text-[11px]"
    >
      <text x={0} y={10}>
        {unit}
      </text>
      {ticks.map((tick) => (
        <g key={tick}>
          <line x1={size.left} x2={size.width} y1={yOf(tick)} y2={yOf(tick)} className="stroke-line" />
          <text x={size.left - 6} y={yOf(tick) + 4} textAnchor="end">
            {count(tick)}
          </text>
        </g>
      ))}
      {bars.map(({ name, short, value }, index) => {
        const x = size.left + index * place;
        return (
          <g key={name}>
            <title>{`${name}: ${count(value)}`}</title>
            <rect x={x} y={size.top} width={place} height={inside} fill="transparent" />
            <rect
              x={x + (place - width) / 2}
              y={yOf(value)}
              width={width}
              height={floor - yOf(value)}
              rx={Math.min(2, width * 0.2)}
              className="fill-accent"
            />
            {index % every === 0 && (
              <text x={x + place / 2} y={floor + 14} textAnchor="middle">
                {short}
              </text>
            )}
          </g>
        );
      })}
      <text x={(size.left + size.width) / 2} y={size.height - 4} textAnchor="middle">
        {step}
      </text>
    </svg>
  );
}

const maxTicks = 4;

/** Round numbers from 0 to the first that is at least `most`, in at most four steps. */
export function ticksOf(most: number): number[] {
  const rough = Math.max(1, most) / maxTicks;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(
    1,
    [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= rough) ?? power,
  );
  return Array.from({ length: Math.ceil(Math.max(1, most) / step) + 1 }, (_, place) => place * step);
}
