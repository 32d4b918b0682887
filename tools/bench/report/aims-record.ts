import { spread } from '../../rig/table.ts';
import type { Aim } from './aims.ts';

/** An aim in `docs/performance.md`, with the run that measured it last. */
export interface RecordedAim {
  id: string;
  what: string;
  wanted: string;
  measured: string;
  kept: string;
  /** The share of the machine that other work used during the run, or `-` if unknown. */
  otherWork: string;
  date: string;
  command: string;
}

export interface Run {
  at: Date;
  command: string;
  /** From 0 to 1. */
  otherWork: number;
}

/** Replaces the results of aims that a run has measured. Other aims stay unchanged. */
export function withRun(
  recorded: readonly RecordedAim[],
  aims: readonly Aim[],
  { at, command, otherWork }: Run,
): RecordedAim[] {
  const measuredAims = aims.flatMap(({ id, what, wanted, unit, measured, isMet }): RecordedAim[] =>
    measured === undefined
      ? []
      : [
          {
            id,
            what,
            wanted,
            measured: `${spread(measured)} ${unit}`,
            kept: isMet ? 'yes' : 'no',
            otherWork: `${Math.round(otherWork * 100)} %`,
            date: at.toISOString().slice(0, 10),
            command,
          },
        ],
  );
  const isSame = (left: RecordedAim, right: RecordedAim) => left.id === right.id && left.what === right.what;
  const kept = recorded.map((one) => measuredAims.find((other) => isSame(one, other)) ?? one);
  return [...kept, ...measuredAims.filter((one) => !recorded.some((other) => isSame(one, other)))];
}

const head = ['id', 'aim', 'measured', 'met', 'date'];

export function markdownOf(recorded: readonly RecordedAim[]): string {
  const rows = recorded.map(({ id, what, wanted, measured, kept, date }) => [
    id,
    `${what}: ${wanted}`,
    measured,
    kept,
    date,
  ]);
  const widths = head.map((cell, column) =>
    Math.max(3, cell.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

const begin = '<!-- The table is written by `npm run bench -- --record`. -->';
const end = '<!-- The end of the table. -->';

/** Returns the page with this table between its markers. @throws if the markers are missing. */
export function withTable(page: string, table: string): string {
  const [before, rest] = page.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined)
    throw new Error('docs/performance.md has no markers for the table: restore them');
  return `${before}${begin}\n\n${table}\n\n${end}${after}`;
}
