import { neededSessions } from '../../../services/agents/src/releases/domain/needed-sessions.ts';
import { equal, withdrawalsOf, worse } from '../../../services/agents/test/releases/simulation.ts';

const streams = 200;
const sessions = 10_000;
const [width, height] = [640, 300];
const [left, right, top, bottom] = [56, 16, 20, 48];

const style = `text { font: 13px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; fill: #1f2733 }
    .axis { stroke: #6c7787; fill: none } .grid { stroke: #d5dbe3; fill: none }
    .worse { stroke: #c23b2e; stroke-width: 2; fill: none } .equal { stroke: #3867d6; stroke-width: 2; fill: none }
    .needed { stroke: #6c7787; stroke-dasharray: 4 4; fill: none }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3 } .grid { stroke: #333c48 } .worse { stroke: #ff7b6b } .equal { stroke: #6f97f5 }
    }`;

/** The sessions are drawn by their logarithm, from 10. */
const xOf = (session: number): number =>
  left + ((Math.log10(Math.max(session, 10)) - 1) / (Math.log10(sessions) - 1)) * (width - left - right);
const yOf = (part: number): number => top + (1 - part) * (height - top - bottom);
const round = (value: number): number => Math.round(value * 10) / 10;

/**
 * How many of 200 simulated releases are withdrawn by when, by the code that decides in production. `npm run releases`
 * draws those of streams that went through the database.
 */
export function drawWithdrawals(
  ofWorse: readonly number[] = withdrawalsOf(worse, streams, sessions),
  ofEqual: readonly number[] = withdrawalsOf(equal, streams, sessions),
): string {
  const needed = neededSessions(worse);
  const inTime = ofWorse.filter((session) => session <= needed).length;
  const title = `Withdrawn candidates of ${streams}, by the number of sessions`;
  const text =
    `From 10 % to 30 % handed over: ${inTime} by session ${needed}, the computed number. ` +
    `Equal ones: ${ofEqual.length} within ${sessions} sessions, looked at after each.`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title text">
  <title id="title">${title}</title>
  <desc id="text">${text}</desc>
  <style>
    ${style}
  </style>
  ${[0, 0.25, 0.5, 0.75, 1].map(drawLevel).join('\n  ')}
  ${[10, 100, 1000, 10_000].map(drawMark).join('\n  ')}
  <path class="needed" d="M${round(xOf(needed))} ${top}V${height - bottom}"/>
  <path class="worse" d="${stairsOf(ofWorse)}"/>
  <path class="equal" d="${stairsOf(ofEqual)}"/>
  <text x="${round(xOf(needed)) + 6}" y="${yOf(0.5)}">${needed} computed</text>
  <text x="${left + 8}" y="${yOf(0.9)}" fill="#c23b2e">10 % → 30 %: ${inTime} by then</text>
  <text x="${width - right - 8}" y="${yOf(0.06)}" text-anchor="end">equal: ${ofEqual.length}</text>
  <text x="${(left + width - right) / 2}" y="${height - 8}" text-anchor="middle">sessions</text>
</svg>
`;
}

const drawLevel = (part: number): string =>
  `<path class="grid" d="M${left} ${yOf(part)}H${width - right}"/>` +
  `<text x="${left - 8}" y="${yOf(part) + 4}" text-anchor="end">${part * streams}</text>`;

const drawMark = (session: number): string =>
  `<path class="axis" d="M${round(xOf(session))} ${height - bottom}v5"/>` +
  `<text x="${round(xOf(session))}" y="${height - bottom + 20}" text-anchor="middle">${session}</text>`;

function stairsOf(withdrawals: readonly number[]): string {
  const steps = withdrawals.map((at, index) => `H${round(xOf(at))}V${round(yOf((index + 1) / streams))}`);
  return `M${left} ${yOf(0)}${steps.join('')}H${width - right}`;
}
