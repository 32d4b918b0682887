import { createGraph, type Graph } from './graph.ts';
import { type Item, layOut } from './layout.ts';

const margin = 12;
const boxHeight = 30;
const rowHeight = 76;
const tipLength = 8;
/** A little more than a letter takes: the reader's font isn't known. */
const letterWidth = 7.6;

const style = `text { font: 13px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; fill: #1f2733; text-anchor: middle }
    rect { fill: #eef2f7; stroke: #6c7787; stroke-width: 1.5 }
    .library { fill: #dbe7ff; stroke: #3867d6 }
    path { fill: none; stroke: #5b6675; stroke-width: 1.4 }
    marker path { fill: #5b6675; stroke: none }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3 }
      rect { fill: #20262f; stroke: #8792a2 }
      .library { fill: #17284f; stroke: #6f97f5 }
      path { stroke: #9aa6b5 }
      marker path { fill: #9aa6b5; stroke: none }
    }`;

/** A picture of the arrows between parts, which lead down from each part to those that it uses. */
export function drawArrows(title: string, arrows: ReadonlyMap<string, ReadonlyMap<string, unknown>>): string {
  const graph = createGraph(arrows);
  const layout = layOut(graph, (name) => Math.ceil(name.length * letterWidth) + 20);
  const width = layout.width + 2 * margin;
  const height = (layout.rows.length - 1) * rowHeight + boxHeight + 2 * margin;
  const boxes = layout.rows
    .flat()
    .flatMap((item) => (item.name === undefined ? [] : [drawBox(item, item.name)]));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title text">
  <title id="title">${title}</title>
  <desc id="text">${describe(graph)}</desc>
  <style>
    ${style}
  </style>
  <marker id="tip" viewBox="0 0 8 8" refX="0" refY="4" markerWidth="${tipLength}" markerHeight="${tipLength}" markerUnits="userSpaceOnUse" orient="auto">
    <path d="M0 0.5 8 4 0 7.5z"/>
  </marker>
  ${[...layout.arrows.map(drawWay), ...boxes].join('\n  ')}
</svg>
`;
}

function describe(graph: Graph): string {
  return [...graph]
    .filter(([, targets]) => targets.length > 0)
    .map(([name, targets]) => `${name} uses ${targets.join(', ')}.`)
    .join(' ');
}

const topOf = ({ row }: Item): number => margin + row * rowHeight;

function drawBox(item: Item, name: string): string {
  const [x, y, width] = [margin + item.x, topOf(item), item.width];
  const kind = name.startsWith('libs/') ? ' class="library"' : '';
  return `<rect${kind} x="${x - width / 2}" y="${y}" width="${width}" height="${boxHeight}" rx="5"/><text x="${x}" y="${y + 20}">${name}</text>`;
}

function drawWay(way: readonly Item[]): string {
  const steps = way.slice(1).map((item, index) => {
    const before = way[index] as Item;
    const isLast = item.name !== undefined;
    const [fromY, toY] = [topOf(before) + boxHeight, topOf(item) - (isLast ? tipLength : 0)];
    const middle = (fromY + toY) / 2;
    const curve = `C${margin + before.x} ${middle} ${margin + item.x} ${middle} ${margin + item.x} ${toY}`;
    return isLast ? curve : `${curve}V${topOf(item) + boxHeight}`;
  });
  const [start] = way as readonly [Item, ...Item[]];
  return `<path d="M${margin + start.x} ${topOf(start) + boxHeight}${steps.join('')}" marker-end="url(#tip)"/>`;
}
