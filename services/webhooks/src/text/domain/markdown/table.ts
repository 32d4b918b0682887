import type { Token, Tokens } from 'marked';
import { RichText } from './rich-text.ts';
import { writeInline } from './write-inline.ts';

// Wider cells overflow, so that they don't push the whole column off a phone's screen.
const maxColumnWidth = 40;
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const wide =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6])/u;

type Align = Tokens.Table['align'][number];
/** A cell's lines, and the width of the widest. */
type Cell = { lines: readonly string[]; width: number };

/** A table as lines of monospaced text: columns aligned as requested, with a rule below the header. */
export function layoutTable(table: Tokens.Table): string {
  const header = table.header.map(toCell);
  const rows = table.rows.map((row) => row.map(toCell));
  const widths = header.map((cell, column) =>
    Math.min(
      maxColumnWidth,
      rows.reduce((widest, row) => Math.max(widest, row[column]?.width ?? 0), cell.width),
    ),
  );
  const rule = widths.map((width) => '-'.repeat(Math.max(1, width))).join('-+-');
  const lines = [header, ...rows].map((row) => layoutRow(row, widths, table.align));
  return [lines[0], rule, ...lines.slice(1)].join('\n');
}

/** A row is as high as its highest cell. */
function layoutRow(row: readonly Cell[], widths: readonly number[], align: readonly Align[]): string {
  const height = row.reduce((highest, { lines }) => Math.max(highest, lines.length), 1);
  return Array.from({ length: height }, (_, line) =>
    row
      .map(({ lines }, column) => pad(lines[line] ?? '', widths[column] ?? 0, align[column] ?? null))
      .join(' | ')
      .trimEnd(),
  ).join('\n');
}

function pad(text: string, width: number, align: Align): string {
  const missing = Math.max(0, width - widthOf(text));
  const before = align === 'right' ? missing : align === 'center' ? Math.floor(missing / 2) : 0;
  return ' '.repeat(before) + text + ' '.repeat(missing - before);
}

function toCell(cell: { tokens: Token[] }): Cell {
  const rich = new RichText();
  writeInline(cell.tokens, { rich, style: {}, isPlain: true });
  const text = rich.runs.map((run) => run.text).join('');
  const lines = text.split('\n').map((line) => line.trim());
  return { lines, width: lines.reduce((widest, line) => Math.max(widest, widthOf(line)), 0) };
}

function widthOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += wide.test(segment) ? 2 : 1;
  return width;
}
