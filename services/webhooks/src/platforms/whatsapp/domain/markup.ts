import type { Run, Style } from '../../../text/domain/markdown/rich-text.ts';

/**
 * Runs in the platform's formatting: `*bold*`, `_italic_`, `~struck~`, code in backticks, `> ` before quoted lines. A
 * mark counts there only between a space or a sign and a letter, so a style within a word is left out: its marks would
 * be shown. Links have no words of their own: `withAddresses` comes first.
 */
export function toMarkup(runs: readonly Run[]): string {
  const text = runs.map((run, index) => styled(run, edgesOf(runs, index))).join('');
  return quoted(text, runs);
}

/** Words with a link are followed by its address. */
export function withAddresses(runs: readonly Run[]): Run[] {
  const written: Run[] = [];
  let label = '';
  for (const [index, run] of runs.entries()) {
    const { href, ...style } = run.style;
    written.push({ text: run.text, style });
    if (href === undefined) continue;
    label += run.text;
    if (runs[index + 1]?.style.href === href) continue;
    // The address of a mail or a telephone already stands there.
    if (/^https?:/i.test(href) && !label.includes(href))
      written.push({ text: ` (${href})`, style: run.style.quote ? { quote: true } : {} });
    label = '';
  }
  return written;
}

interface Edges {
  before: string;
  after: string;
}

const edgesOf = (runs: readonly Run[], index: number): Edges => ({
  before: runs[index - 1]?.text.at(-1) ?? '',
  after: runs[index + 1]?.text.at(0) ?? '',
});

function styled({ text, style }: Run, edges: Edges): string {
  if (style.pre !== undefined) return `\`\`\`${text.replaceAll('```', "'''")}\`\`\``;
  const marks = marksOf(style);
  if (marks === '') return withoutMarks(text);
  const lines = text.split('\n');
  return lines
    .map((line, index) =>
      marked(line, marks, {
        before: index === 0 ? edges.before : '',
        after: index === lines.length - 1 ? edges.after : '',
      }),
    )
    .join('\n');
}

function marksOf(style: Style): string {
  if (style.code) return '`';
  return `${style.bold ? '*' : ''}${style.italic ? '_' : ''}${style.strike ? '~' : ''}`;
}

const isWord = (character: string): boolean => /[\p{L}\p{N}_]/u.test(character);

function marked(line: string, marks: string, { before, after }: Edges): string {
  const core = line.trim();
  const start = line.length - line.trimStart().length;
  const end = start + core.length;
  const isInWord = (start === 0 && isWord(before)) || (end === line.length && isWord(after));
  if (core === '' || isInWord || [...marks].some((mark) => core.includes(mark))) return withoutMarks(line);
  const closing = [...marks].reverse().join('');
  return `${line.slice(0, start)}${marks}${core}${closing}${line.slice(end)}`;
}

/** A pair of marks that the model wrote as text. */
const literalPair = /(?<![\p{L}\p{N}_])([*_~`])(?=\S)(?=[^\n]{0,500}?\S\1(?![\p{L}\p{N}_]))/gu;

/** An invisible character after the first mark keeps the platform from reading a pair as formatting. */
const withoutMarks = (text: string): string => text.replace(literalPair, '$1\u2060');

/** Every line that is quoted begins with the mark of a quote. */
function quoted(text: string, runs: readonly Run[]): string {
  if (!runs.some((run) => run.style.quote)) return text;
  const quotedLines = new Set<number>();
  let line = 0;
  for (const run of runs) {
    const count = run.text.split('\n').length - 1;
    if (run.style.quote && run.text.trim() !== '')
      for (let offset = 0; offset <= count; offset += 1)
        if (run.text.split('\n')[offset] !== '') quotedLines.add(line + offset);
    line += count;
  }
  return text
    .split('\n')
    .map((written, index) => (quotedLines.has(index) ? `> ${written}` : written))
    .join('\n');
}
