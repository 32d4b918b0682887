import { badRequest } from '@botyard/shared/http/errors';

export interface CsvCell {
  text: string;
  /** The line of the text in which the cell begins, from 1. */
  line: number;
}

const opening = /[ \t]*"/y;
const spaces = /[ \t]*/y;
const lineBreaks = /\r\n|\n|\r/g;

/**
 * The lines of a CSV text (RFC 4180) as lists of cells. Blank lines are left out. Cells are separated by commas, or by
 * semicolons if the first line has some and no comma. @throws HttpError 400 with the place of a fault of quotation.
 */
export function readCsv(text: string): CsvCell[][] {
  const content = text.replace(/^\uFEFF/, '');
  const separator = separatorOf(content);
  const plain = new RegExp(`[^${separator}\\r\\n]*`, 'y');
  const lines: CsvCell[][] = [];
  let cells: CsvCell[] = [];
  let [at, line] = [0, 1];
  for (;;) {
    const start = endOf(opening, content, at);
    const cell = start === undefined ? plainCell(plain, content, at) : quotedCell(content, start);
    if ('fault' in cell)
      throw badRequest(`line ${line}, column ${cells.length + 1} of the CSV: ${cell.fault}`);
    cells.push({ text: cell.text, line });
    line += cell.text.match(lineBreaks)?.length ?? 0;
    at = cell.end;
    if (content[at] === separator) {
      at += 1;
      continue;
    }
    if (at < content.length && !isLineBreak(content[at]))
      throw badRequest(
        `line ${line}, column ${cells.length} of the CSV: there is text after the closing quotation mark; write a quotation mark within a cell twice`,
      );
    if (cells.some(({ text: words }) => words.trim() !== '')) lines.push(cells);
    cells = [];
    at += content.startsWith('\r\n', at) ? 2 : 1;
    line += 1;
    if (at >= content.length) return lines;
  }
}

const isLineBreak = (character: string | undefined): boolean => character === '\n' || character === '\r';

function separatorOf(content: string): ',' | ';' {
  const [first = ''] = content.split(/[\r\n]/, 1);
  return first.includes(';') && !first.includes(',') ? ';' : ',';
}

/** The end of a match at this place. */
function endOf(pattern: RegExp, content: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(content) ? pattern.lastIndex : undefined;
}

type ReadCell = { text: string; end: number } | { fault: string };

function plainCell(plain: RegExp, content: string, at: number): ReadCell {
  const end = endOf(plain, content, at) ?? at;
  return { text: content.slice(at, end), end };
}

/** A cell whose text begins here, after its quotation mark. */
function quotedCell(content: string, start: number): ReadCell {
  for (let from = start; ; ) {
    const mark = content.indexOf('"', from);
    if (mark === -1) return { fault: 'the quotation mark is not closed' };
    if (content[mark + 1] !== '"') {
      const text = content.slice(start, mark).replaceAll('""', '"');
      return { text, end: endOf(spaces, content, mark + 1)! };
    }
    from = mark + 2;
  }
}
