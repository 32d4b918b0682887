const box = { width: 190, height: 36, gap: 110 };

interface Edge {
  subject: string;
  relation: string;
  object: string;
}

const short = (name: string): string => (name.length > 26 ? `${name.slice(0, 24)}…` : name);

/** Draws the path of relationships from a subject to an object. Each relationship is an arrow. */
export function PathGraph({ edges, nameOf }: { edges: readonly Edge[]; nameOf: (node: string) => string }) {
  const first = edges[0];
  if (!first) return null;
  const nodes = [first.subject, ...edges.map(({ object }) => object)];
  const step = box.width + box.gap;
  const words = edges.map(
    ({ subject, relation, object }) => `${nameOf(subject)} is ${relation} of ${nameOf(object)}`,
  );
  return (
    <svg
      viewBox={`0 0 ${nodes.length * step - box.gap} ${box.height + 4}`}
      className="max-h-16 w-full max-w-3xl"
      role="img"
      aria-label={words.join('; ')}
    >
      {nodes.map((node, index) => (
        <g key={node}>
          <rect
            x={index * step + 1}
            y={2}
            width={box.width - 2}
            height={box.height}
            rx="6"
            className="fill-panel stroke-accent"
          />
          <text
            x={index * step + box.width / 2}
            y={box.height / 2 + 6}
            textAnchor="middle"
            className="fill-ink text-[12px]"
          >
            {short(nameOf(node))}
          </text>
        </g>
      ))}
      {edges.map(({ relation, object }, index) => (
        <g key={object}>
          <path
            d={`M${index * step + box.width + 4} ${box.height / 2 + 2} h${box.gap - 14} m-6 -5 l8 5 l-8 5`}
            className="fill-none stroke-soft"
          />
          <text
            x={index * step + box.width + box.gap / 2}
            y={box.height / 2 - 4}
            textAnchor="middle"
            className="fill-soft text-[11px]"
          >
            {relation}
          </text>
        </g>
      ))}
    </svg>
  );
}
