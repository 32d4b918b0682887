import type { Token, Tokens } from 'marked';
import type { RichText, Style } from './rich-text.ts';
import { layoutTable } from './table.ts';
import { writeInline } from './write-inline.ts';

const maxDepth = 10;
const rule = '──────────';
// The marker of an item already shows its checkbox.
const hidden = new Set(['space', 'def', 'checkbox']);
const documentGaps: Gaps = { block: '\n\n', list: '\n\n' };

/** The space before a block that is not the first of its container. */
type Gaps = { readonly block: string; readonly list: string };
type BlockTarget = { readonly rich: RichText; readonly style: Style; readonly depth: number };

/**
 * Writes a document's blocks in forms that the platform can display: bold headings, bullets, and tables and code as
 * code blocks.
 */
export function writeDocument(tokens: readonly Token[], rich: RichText): void {
  writeBlocks(tokens, documentGaps, { rich, style: {}, depth: 0 });
}

function writeBlocks(tokens: readonly Token[], gaps: Gaps, target: BlockTarget): void {
  let isFirst = true;
  for (const token of tokens) {
    if (hidden.has(token.type)) continue;
    if (!isFirst) target.rich.separate(token.type === 'list' ? gaps.list : gaps.block, target.style);
    isFirst = false;
    writeBlock(token, target);
  }
}

function writeBlock(token: Token, target: BlockTarget): void {
  const { rich, style, depth } = target;
  const inline = withoutCheckbox((token as Tokens.Generic).tokens ?? [token]);
  if (depth > maxDepth) rich.write(token.raw.trim(), style);
  else if (isA<Tokens.Blockquote>(token, 'blockquote')) writeQuote(token, target);
  else if (isA<Tokens.List>(token, 'list')) writeList(token, target);
  else if (isA<Tokens.Table>(token, 'table')) rich.write(layoutTable(token), { ...style, pre: '' });
  else if (isA<Tokens.Code>(token, 'code')) rich.write(codeText(token), { ...style, pre: languageOf(token) });
  else if (token.type === 'heading') writeInline(inline, { rich, style: { ...style, bold: true } });
  else if (token.type === 'hr') rich.write(rule, style);
  else if (token.type === 'html') rich.write(token.raw.trimEnd(), style);
  else writeInline(inline, { rich, style });
}

function isA<T extends Token>(token: Token, type: T['type']): token is T {
  return token.type === type;
}

function withoutCheckbox(tokens: readonly Token[]): readonly Token[] {
  return tokens[0]?.type === 'checkbox' ? tokens.slice(1) : tokens;
}

// The platform has no nested quotes, so the inner one keeps its typed mark.
function writeQuote(quote: Tokens.Blockquote, { rich, style, depth }: BlockTarget): void {
  const outerIndent = rich.indent;
  rich.indent = style.quote ? `${outerIndent}> ` : '';
  writeBlocks(quote.tokens, documentGaps, { rich, style: { ...style, quote: true }, depth: depth + 1 });
  rich.indent = outerIndent;
}

function writeList(list: Tokens.List, target: BlockTarget): void {
  const { rich, style } = target;
  // A list inside an item stays close to the line it belongs to.
  const gaps: Gaps = { block: list.loose ? '\n\n' : '\n', list: '\n' };
  for (const [index, item] of list.items.entries()) {
    if (index > 0) rich.separate(gaps.block, style);
    writeItem(item, { marker: markerOf(list, index), gaps }, target);
  }
}

function writeItem(item: Tokens.ListItem, look: { marker: string; gaps: Gaps }, target: BlockTarget): void {
  const { rich, style, depth } = target;
  const outerIndent = rich.indent;
  rich.write(look.marker, style);
  rich.indent = outerIndent + ' '.repeat(look.marker.length);
  // A block can't begin in the middle of the marker's line.
  if (['code', 'table', 'blockquote'].includes(item.tokens[0]?.type ?? '')) rich.separate('\n', style);
  writeBlocks(item.tokens, look.gaps, { rich, style, depth: depth + 1 });
  rich.indent = outerIndent;
}

function markerOf(list: Tokens.List, index: number): string {
  const item = list.items[index];
  if (item?.task) return item.checked ? '☑ ' : '☐ ';
  return list.ordered ? `${Number(list.start) + index}. ` : '• ';
}

// Replaces tabs, because the platform turns a tab into one space.
function codeText(code: Tokens.Code): string {
  return code.text.replaceAll('\t', '    ').trimEnd();
}

function languageOf(code: Tokens.Code): string {
  const language = code.lang?.split(/\s/, 1)[0] ?? '';
  return /^[\w+#.-]{1,32}$/.test(language) ? language : '';
}
