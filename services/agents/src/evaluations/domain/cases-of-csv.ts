import type { Assertion } from '@botyard/contracts/http/evaluations-cases';
import { invalid } from '@botyard/shared/http/errors';
import { type CsvCell, readCsv } from './read-csv.ts';

/** The columns of a table that each make an assertion. */
const assertionOf: Readonly<Record<string, (cell: string) => Assertion>> = {
  contains: (text) => ({ type: 'contains', text }),
  not_contains: (text) => ({ type: 'not_contains', text }),
  matches: (pattern) => ({ type: 'matches', pattern }),
  language: (language) => ({ type: 'language', language }),
  tool_called: (name) => ({ type: 'tool_called', name }),
};
const columnNames = ['name', 'message', ...Object.keys(assertionOf)];
const maxUnitsOfName = 200;

/** Cases as a file has them. */
export interface WrittenCases {
  written: unknown[];
  /** Where a part of a case stands in the file. */
  placeOf: (at: number, path: readonly PropertyKey[]) => string;
}

/** Reads a table whose first line names its columns. @throws HttpError 400 with the place of each fault. */
export function casesOfCsv(text: string): WrittenCases {
  const [header = [], ...lines] = readCsv(text);
  const columns = header.map((cell) => cell.text.trim().toLowerCase());
  const faults = [
    ...faultsOfHeader(header, columns),
    ...lines.flatMap((line) => faultsOfLine(line, columns)),
  ];
  if (faults.length > 0) throw invalid(faults.map((message) => ({ path: ['text'], message })));
  const cases = lines.map((line, at) => caseOf(line, at, columns));
  return {
    written: cases.map(({ written }) => written),
    placeOf: (at, path) => placeIn(cases[at]!, path, columns),
  };
}

function faultsOfHeader(header: readonly CsvCell[], columns: readonly string[]): string[] {
  const line = header[0]?.line ?? 1;
  const faults = columns.flatMap((name, at) => {
    if (name === '') return [];
    const place = `line ${line}, column ${at + 1}`;
    if (columns.indexOf(name) < at) return [`${place}: there are two columns of this name`];
    return columnNames.includes(name) ? [] : [`${place}: the name is none of ${columnNames.join(', ')}`];
  });
  const lacks = `line ${line} has to name the columns, and one of them message`;
  return columns.includes('message') ? faults : [lacks, ...faults];
}

function faultsOfLine(line: readonly CsvCell[], columns: readonly string[]): string[] {
  const at = line.findIndex(({ text }, index) => text.trim() !== '' && !columns[index]);
  if (at === -1) return [];
  const named = 'the first line names no such column; a cell with the separator in it needs quotation marks';
  return [`line ${line[at]!.line}, column ${at + 1}: ${named}`];
}

interface CaseOfLine {
  written: { assertions: Assertion[] };
  /** The lines of the cells. */
  lines: number[];
  /** The column of each assertion. */
  assertionColumns: number[];
}

function caseOf(line: readonly CsvCell[], index: number, columns: readonly string[]): CaseOfLine {
  const textAt = (at: number) => line[at]?.text.trim() ?? '';
  const textOf = (column: string) => textAt(columns.indexOf(column));
  const assertionColumns = columns.flatMap((column, at) =>
    assertionOf[column] && textAt(at) !== '' ? [at] : [],
  );
  const message = textOf('message');
  const written = {
    name: textOf('name') || message.slice(0, maxUnitsOfName).toWellFormed() || `Case ${index + 1}`,
    messages: [{ role: 'user', text: message }],
    assertions: assertionColumns.map((at) => assertionOf[columns[at]!]!(textAt(at))),
  };
  return { written, lines: line.map((cell) => cell.line), assertionColumns };
}

function placeIn(
  { lines, assertionColumns }: CaseOfLine,
  [part, index]: readonly PropertyKey[],
  columns: readonly string[],
): string {
  const column = part === 'assertions' ? assertionColumns[Number(index)] : columns.indexOf(columnOf(part));
  if (column === undefined || column === -1) return `line ${lines[0]}`;
  return `line ${lines[column] ?? lines.at(-1)}, column ${column + 1} (${columns[column]})`;
}

const columnOf = (part: PropertyKey | undefined): string => (part === 'messages' ? 'message' : 'name');
