interface Span {
  name: string;
  begins: number;
  lasts: number;
  told: string;
}

const row = 34;
const width = 320;

/** Draws spans of time below each other. Its label contains the same information as text. */
export function Waterfall({ label, spans }: { label: string; spans: readonly Span[] }) {
  const whole = Math.max(1, ...spans.map(({ begins, lasts }) => begins + lasts));
  return (
    <figure className="grid gap-1">
      <figcaption className="text-sm font-medium">{label}</figcaption>
      <svg
        viewBox={`0 0 ${width} ${spans.length * row}`}
        className="w-full"
        role="img"
        aria-label={spans.map(({ name, told }) => `${name}: ${told}`).join('; ')}
      >
        {spans.map(({ name, begins, lasts, told }, index) => (
          <g key={`${name} ${begins}`}>
            <text x="0" y={index * row + 12} className="fill-ink text-[12px]">
              {name} · {told}
            </text>
            <rect
              x={(begins / whole) * (width - 2)}
              y={index * row + 17}
              width={Math.max(2, (lasts / whole) * (width - 2))}
              height="8"
              rx="2"
              className="fill-accent"
            />
          </g>
        ))}
      </svg>
    </figure>
  );
}
