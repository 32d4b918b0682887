import type { Series, Spread } from './series.ts';

export interface Table {
  title: string;
  head: readonly string[];
  rows: readonly (readonly string[])[];
  /** Notes that explain the table. */
  notes: readonly string[];
}

/** A count that has to be right, whatever the machine does meanwhile. */
export interface Check {
  what: string;
  isRight: boolean;
  detail: string;
}

export function check(what: string, expected: number, found: number): Check {
  return { what, isRight: expected === found, detail: `expected ${expected}, found ${found}` };
}

/** Formats a number with three significant digits. */
export function figure(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return '-';
  const size = Math.abs(value);
  if (size >= 100) return value.toFixed(0);
  if (size >= 10) return value.toFixed(1);
  return size >= 1 ? value.toFixed(2) : value.toFixed(3);
}

/** Formats `median (min–max)`, or the median alone after a single round. */
export function spread(values: Spread | undefined): string {
  if (!values) return '-';
  const { median, min, max } = values;
  return min === max ? figure(median) : `${figure(median)} (${figure(min)}–${figure(max)})`;
}

export function times(values: Spread | undefined): string {
  return values ? `${spread(values)} ×` : '-';
}

/** A column of a table of series: the median and range of a metric, or its ratio to another build's. */
export type Column = readonly [head: string, metric: string, reference?: string];

/** A row for each name, with the values of its series. */
export function seriesTable(
  series: Series,
  names: readonly string[],
  {
    title,
    first,
    columns,
    notes = [],
  }: Pick<Table, 'title'> & {
    first: string;
    columns: readonly Column[];
    notes?: readonly string[];
  },
): Table {
  return {
    title,
    head: [first, ...columns.map(([head]) => head)],
    rows: names.map((name) => [
      name,
      ...columns.map(([, metric, reference]) =>
        reference === undefined
          ? spread(series.of(name, metric))
          : times(series.ratio(name, reference, metric)),
      ),
    ]),
    notes,
  };
}

export function printTable({ title, head, rows, notes }: Table): string {
  const widths = head.map((cell, column) =>
    Math.max(cell.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ');
  const rule = widths.map((width) => '-'.repeat(width)).join('  ');
  return [title, line(head), rule, ...rows.map(line), ...notes.map((note) => `  ${note}`)].join('\n');
}

/** Prints the checks. Wrong counts invalidate all times of the run, so they are printed prominently. */
export function printChecks(checks: readonly Check[]): string {
  const wrong = checks.filter(({ isRight }) => !isRight);
  const lines = checks.map(
    ({ what, isRight, detail }) => `  ${isRight ? 'right' : 'WRONG'}  ${what}: ${detail}`,
  );
  const verdict =
    wrong.length > 0 ? [`!!! ${wrong.length} CHECK(S) FAILED: the figures above are invalid !!!`] : [];
  return [...lines, ...verdict].join('\n');
}
