import { Lexer, type Token } from 'marked';

// Measured on marked 18.2: emphasis costs up to 40 ns per pair of delimiters, an unbroken word 2 ns per pair of
// characters (it may be an email address), and anything unclosed (a comment, a code span) 0.4 ns per pair of
// characters. In a list item every line is scanned for a heading's underline through the rest of its paragraph: 2 ns
// per line and character.
const delimiterPairNs = 40;
const wordPairNs = 2;
const textPairNs = 0.4;
const inlineBudgetNs = 300_000_000;
const maxDelimiters = 1000;
const maxLines = 10_000;
const maxLinesTimesUnits = 100_000_000;
const maxMarkersPerLine = 30;
const maxTableCells = 100_000;

/** The cost of a line that begins a list item, and the limits for an answer on the main loop. */
const lineNs = 60_000;
const quickNs = 3_000_000;
const maxQuickUnits = 8000;

/** Whether a text can be parsed within a few milliseconds, whatever its content. */
export function isQuicklyLexed(markdown: string): boolean {
  if (markdown.length > maxQuickUnits) return false;
  const lines = markdown.split('\n').length;
  const inlineNs = markdown.split(/\n[ \t]*\n/).reduce((sum, paragraph) => sum + inlineCostNs(paragraph), 0);
  return lines * lineNs + inlineNs <= quickNs;
}

/**
 * The tokens of a Markdown text, in bounded time for any text. A stretch whose emphasis is too costly stays literal.
 * Returns `undefined` if the blocks themselves are too costly (nested too deep, giant tables) or marked fails.
 */
export function lexMarkdown(markdown: string): Token[] | undefined {
  if (!hasReasonableBlocks(markdown)) return undefined;
  try {
    const lexer = new Lexer({ gfm: true });
    lexer.blockTokens(markdown, lexer.tokens);
    lexInline(lexer);
    return lexer.tokens;
  } catch {
    return undefined;
  }
}

// The queue is marked's own second pass. It is processed here, so that the cost of each stretch can be checked first.
function lexInline(lexer: Lexer): void {
  let budgetNs = inlineBudgetNs;
  for (let next = 0; next < lexer.inlineQueue.length; next += 1) {
    const { src, tokens } = lexer.inlineQueue[next]!;
    const costNs = inlineCostNs(src);
    if (costNs > budgetNs) {
      tokens.push({ type: 'text', raw: src, text: src, escaped: true });
      continue;
    }
    budgetNs -= costNs;
    // An unclosed raw <a> or <pre> must not reach into the next paragraph.
    lexer.state.inLink = false;
    lexer.state.inRawBlock = false;
    lexer.inlineTokens(src, tokens);
  }
}

function inlineCostNs(text: string): number {
  let delimiters = 0;
  let word = 0;
  let longestWord = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit === 0x2a || unit === 0x5f || unit === 0x7e) delimiters += 1;
    word = unit > 0x20 && unit < 0x7f ? word + 1 : 0;
    if (word > longestWord) longestWord = word;
  }
  if (delimiters > maxDelimiters) return Number.POSITIVE_INFINITY;
  return delimiterPairNs * delimiters ** 2 + wordPairNs * longestWord ** 2 + textPairNs * text.length ** 2;
}

function hasReasonableBlocks(markdown: string): boolean {
  const lines = markdown.split('\n');
  if (lines.length > maxLines || paragraphCost(lines) > maxLinesTimesUnits) return false;
  let columns = 0;
  for (const line of lines) {
    if (countMarkers(line) > maxMarkersPerLine) return false;
    columns = Math.max(columns, countColumns(line));
  }
  // marked pads every row to the width of the header.
  return columns * lines.length <= maxTableCells;
}

/** Lines times units, summed over the stretches between empty lines and new list items. */
function paragraphCost(lines: readonly string[]): number {
  let cost = 0;
  let height = 0;
  let units = 0;
  for (const line of [...lines, '']) {
    if (line.trim() === '' || /^ {0,3}(?:[-*+]|\d{1,9}[.)]) /.test(line)) {
      cost += height * units;
      height = 0;
      units = 0;
    }
    height += 1;
    units += line.length;
  }
  return cost;
}

function countMarkers(line: string): number {
  const marker = /[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t]|$))/y;
  let count = 0;
  while (count <= maxMarkersPerLine && marker.test(line)) count += 1;
  return count;
}

/** The number of columns if a line may be the delimiter row of a table, else 0. */
function countColumns(line: string): number {
  return /^[-:|\s>*+\d.)]*$/.test(line) && line.includes('-') ? line.split('|').length : 0;
}
