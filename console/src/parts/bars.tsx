import { count } from './text.tsx';

const height = 120;
const step = 24;

/** A bar chart with one bar per day. Its label contains the numbers as text. */
export function Bars({ bars }: { bars: readonly { name: string; value: number }[] }) {
  const most = Math.max(1, ...bars.map(({ value }) => value));
  if (bars.length === 0) return <p className="text-soft">No data in this period yet.</p>;
  return (
    <svg
      viewBox={`0 0 ${Math.max(bars.length, 12) * step} ${height + 20}`}
      className="max-h-56 w-full"
      role="img"
      aria-label={bars.map(({ name, value }) => `${name}: ${count(value)}`).join('; ')}
    >
      {bars.map(({ name, value }, index) => {
        const size = Math.max(1, (value / most) * height);
        return (
          <g key={name}>
            <rect
              x={index * step + 2}
              y={height - size}
              width={step - 6}
              height={size}
              rx="2"
              className="fill-accent"
            />
            <text x={index * step + 10} y={height + 14} textAnchor="middle" className="fill-soft text-[9px]">
              {name.slice(8)}
            </text>
          </g>
        );
      })}
    </svg>
  );
}
