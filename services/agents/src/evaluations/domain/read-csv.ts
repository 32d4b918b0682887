/** The lines of a CSV text (RFC 4180) as lists of cells. Blank lines are left out. */
export function readCsv(text: string): string[][] {
  const lines: string[][] = [];
  let cells: string[] = [];
  for (const { 1: quoted, 2: plain = '', 3: end = '' } of text.replace(/^\uFEFF/, '').matchAll(cellAndEnd)) {
    cells.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === ',') continue;
    if (cells.some((cell) => cell.trim() !== '')) lines.push(cells);
    cells = [];
  }
  return lines;
}

/** A cell, in quotation marks or without, and the comma or the end of the line after it. */
const cellAndEnd = /(?:"((?:[^"]|"")*)"[^\S\r\n]*|([^,\r\n]*))(,|\r\n|\n|\r|$)/g;
