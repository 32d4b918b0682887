import { Lexer, type Token, type Tokens } from 'marked';
import { HtmlReader } from './html-tags.ts';
import { InlineTokenizer } from './inline-tokenizer.ts';
import { resolveEmphasis } from './resolve-emphasis.ts';

// Measured on marked 18.2: an unbroken word costs 2 ns per pair of characters (it may be an email address), and a sign
// that may be unclosed (of a comment, a code span, a link) 3 ns for each character of its paragraph. In a list item
// every line is scanned for a heading's underline through the rest of its paragraph: 2 ns per line and character. A
// delimiter of emphasis costs 3 µs.
const wordPairNs = 2;
const delimiterNs = 3000;
const signUnitNs = 3;
const lineUnitNs = 2;
const inlineBudgetNs = 300_000_000;
const maxLines = 10_000;
const maxLinesTimesUnits = 100_000_000;
const maxMarkersPerLine = 30;
const maxTableCells = 100_000;

/**
 * The cost of formatting beside that: for each line, each level of nesting in it, and each character. Answers of 400
 * lines and 32 kB stay below the limit.
 */
const lineNs = 6000;
const markerNs = 6000;
const unitNs = 100;
const quickNs = 16_000_000;
const maxQuickUnits = 40_000;

/** Whether a text can be formatted on the main loop, within a few milliseconds whatever its content. */
export function isQuicklyLexed(markdown: string): boolean {
  if (markdown.length > maxQuickUnits) return false;
  const lines = markdown.split('\n');
  let ns = markdown.length * unitNs + paragraphCost(lines) * lineUnitNs;
  for (const line of lines) ns += lineNs + countMarkers(line) * markerNs;
  if (ns > quickNs || !hasReasonableBlocks(markdown)) return false;
  const lexer = lexBlocks(markdown);
  return !lexer || lexer.inlineQueue.reduce((sum, { src }) => sum + inlineCostNs(src), ns) <= quickNs;
}

/**
 * The tokens of a Markdown text, in bounded time for any text. A stretch that is too costly stays literal. Returns
 * `undefined` if the blocks themselves are too costly (nested too deep, giant tables) or marked fails.
 */
export function lexMarkdown(source: string): Token[] | undefined {
  const markdown = spaceHeadings(source);
  if (!hasReasonableBlocks(markdown)) return undefined;
  const lexer = lexBlocks(markdown);
  if (!lexer) return undefined;
  try {
    lexInline(lexer);
    return lexer.tokens;
  } catch {
    return undefined;
  }
}

/** The blocks of a text, whose inline tokens wait in the lexer's queue. Returns `undefined` if marked fails. */
function lexBlocks(markdown: string): Lexer | undefined {
  const lexer = new Lexer({ gfm: true, tokenizer: new InlineTokenizer() });
  try {
    lexer.blockTokens(markdown, lexer.tokens);
    return lexer;
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
    const inner = resolveInline(lexer.inlineTokens(src, []));
    for (const token of inner) tokens.push(token);
  }
}

/** Models leave out the space after the signs of a heading, most of all in Chinese. One sign may be a hashtag. */
function spaceHeadings(markdown: string): string {
  if (!/^ {0,3}##+[^#\s]/m.test(markdown)) return markdown;
  let fence = '';
  const lines = markdown.split('\n').map((line) => {
    const [, mark = ''] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
    if (mark !== '' && fence === '') fence = mark;
    else if (fence !== '' && mark.startsWith(fence)) fence = '';
    return fence === '' ? line.replace(/^( {0,3}#{2,6})(?=[^#\s])/, '$1 ') : line;
  });
  return lines.join('\n');
}

function inlineCostNs(text: string): number {
  let signs = 0;
  let delimiters = 0;
  let isDelimiter = false;
  let word = 0;
  let longestWord = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (isSign(unit)) signs += 1;
    const wasDelimiter = isDelimiter;
    isDelimiter = unit === 0x2a || unit === 0x5f || unit === 0x7e;
    if (isDelimiter && !wasDelimiter) delimiters += 1;
    word = unit > 0x20 && unit < 0x7f ? word + 1 : 0;
    if (word > longestWord) longestWord = word;
  }
  return delimiterNs * delimiters + wordPairNs * longestWord ** 2 + signUnitNs * signs * text.length;
}

/** `!`, `<`, `[`, a backslash and a backtick. */
const isSign = (unit: number): boolean =>
  unit === 0x21 || unit === 0x3c || unit === 0x5b || unit === 0x5c || unit === 0x60;

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

/**
 * Lines times units, summed over the stretches between empty lines and new list items. A table that begins at the left
 * edge is in no list.
 */
function paragraphCost(lines: readonly string[]): number {
  let cost = 0;
  let isTable = false;
  let height = 0;
  let units = 0;
  for (const line of [...lines, '']) {
    if (line.trim() === '' || /^ {0,3}(?:[-*+]|\d{1,9}[.)]) /.test(line)) {
      if (!isTable) cost += height * units;
      height = 0;
      units = 0;
    }
    if (units === 0) isTable = line.startsWith('|');
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

/** Deeper links and elements stay as they were typed. */
const maxDepth = 16;

/**
 * The inline tokens of a text as people should see them: with emphasis resolved, and with the elements of HTML that
 * models write as formatting, line breaks and links. Other elements stay text.
 */
function resolveInline(tokens: readonly Token[], depth = 0): Token[] {
  if (depth > maxDepth) return [...tokens];
  const resolved = tokens.map((token) => {
    const inner = (token as Tokens.Generic).tokens;
    return inner ? ({ ...token, tokens: resolveInline(inner, depth + 1) } as Token) : token;
  });
  if (!resolved.some(({ type }) => type === 'html')) return resolveEmphasis(resolved);
  const reader = new HtmlReader((siblings) => resolveEmphasis(siblings));
  for (const token of resolved) reader.add(token);
  return reader.end();
}
