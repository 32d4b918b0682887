import { escapeHtml } from '@botyard/shared/http/escape-html';
import type { Token, Tokens } from 'marked';
import { wordsOf } from '../../../../../text/domain/markdown/html-tags.ts';
import { decodeCharacters } from '../../../../../text/domain/markdown/write-inline.ts';

const maxDepth = 20;
const maxHrefUnits = 2048;
const linkable = /^(?:https?:\/\/|mailto:|tel:)/i;
// Mail programs drop style sheets, and some drop all but the simplest rules.
const cell = 'border:1px solid #c8ced6;padding:4px 8px;text-align:left;vertical-align:top';
const code = 'background:#f1f3f6;border-radius:4px;padding:1px 4px;font-family:monospace';
const block = 'background:#f1f3f6;border-radius:6px;padding:8px 12px;overflow:auto;font-family:monospace';
const quote = 'margin:0 0 12px;padding:2px 12px;border-left:3px solid #c8ced6;color:#55606c';

/**
 * The HTML of a Markdown document, for a mail. It contains only these elements, and all text is escaped. Opening it
 * fetches nothing: an image becomes a link, and raw HTML stays text.
 */
export function writeHtml(tokens: readonly Token[]): string {
  return writeBlocks(tokens, 0);
}

function writeBlocks(tokens: readonly Token[], depth: number): string {
  return tokens.map((token) => writeBlock(token, depth)).join('');
}

function writeBlock(token: Token, depth: number): string {
  if (depth > maxDepth) return paragraph(escapeHtml(token.raw.trim()));
  switch (token.type) {
    case 'space':
    case 'def':
    case 'checkbox':
      return '';
    case 'hr':
      return '<hr>';
    case 'html':
      return paragraph(lines(token.raw.trimEnd()));
    case 'code':
      return `<pre style="${block}">${escapeHtml((token as Tokens.Code).text)}</pre>`;
    case 'heading': {
      const tag = `h${Math.min(6, Math.max(1, Number((token as Tokens.Heading).depth)))}`;
      return `<${tag} style="margin:16px 0 8px;font-size:1.1em">${writeInline(inlineOf(token), depth)}</${tag}>`;
    }
    case 'blockquote':
      return `<blockquote style="${quote}">${writeBlocks((token as Tokens.Blockquote).tokens, depth + 1)}</blockquote>`;
    case 'list':
      return writeList(token as Tokens.List, depth);
    case 'table':
      return writeTable(token as Tokens.Table, depth);
    case 'paragraph': {
      const html = writeInline(inlineOf(token), depth);
      return html === '' ? '' : paragraph(html);
    }
    default:
      return writeInline(inlineOf(token), depth);
  }
}

function writeList(list: Tokens.List, depth: number): string {
  const start = Number(list.start);
  const [open, close] = list.ordered ? [`<ol start="${start || 1}">`, '</ol>'] : ['<ul>', '</ul>'];
  const items = list.items.map((item) => {
    const box = item.task ? (item.checked ? '☑ ' : '☐ ') : '';
    return `<li>${box}${writeBlocks(item.tokens, depth + 1)}</li>`;
  });
  return `${open}${items.join('')}${close}`;
}

function writeTable({ header, rows }: Tokens.Table, depth: number): string {
  const row = (tag: 'td' | 'th', cells: readonly Tokens.TableCell[]) =>
    `<tr>${cells.map(({ tokens }) => `<${tag} style="${cell}">${writeInline(tokens, depth)}</${tag}>`).join('')}</tr>`;
  const body = [row('th', header), ...rows.map((cells) => row('td', cells))].join('');
  return `<table style="border-collapse:collapse;margin:0 0 12px">${body}</table>`;
}

function writeInline(tokens: readonly Token[], depth: number): string {
  return tokens.map((token) => writeToken(token, depth + 1)).join('');
}

const tags: Record<string, string> = { strong: 'b', em: 'i', del: 's' };

function writeToken(token: Token, depth: number): string {
  if (depth > maxDepth) return lines(token.raw);
  const tag = tags[token.type];
  if (tag) return `<${tag}>${writeInline(inlineOf(token), depth)}</${tag}>`;
  switch (token.type) {
    case 'codespan':
      return `<code style="${code}">${escapeHtml((token as Tokens.Codespan).text)}</code>`;
    case 'link':
    case 'image':
      return writeLink(token as Tokens.Link | Tokens.Image, depth);
    case 'br':
      return '<br>';
    case 'checkbox':
      return '';
    case 'escape':
      return lines((token as Tokens.Escape).text);
    case 'text': {
      const inner = (token as Tokens.Text).tokens;
      if (inner) return writeInline(inner, depth);
      return lines((token as Tokens.Text).escaped ? token.raw : decodeCharacters(token.raw));
    }
    default:
      return lines(token.raw);
  }
}

/** A safe target becomes a link. Another one is written after its label. */
function writeLink(link: Tokens.Link | Tokens.Image, depth: number): string {
  const href = decodeCharacters(link.href).replace(/\s/g, encodeURIComponent);
  const label = link.text.trim() === '' ? escapeHtml(href) : writeLabel(link, depth);
  if (!linkable.test(href) || href.length > maxHrefUnits)
    return link.text.trim() === '' || /^data:/i.test(href) ? label : `${label} (${escapeHtml(href)})`;
  return `<a href="${escapeHtml(href)}" rel="noopener noreferrer">${label}</a>`;
}

/** The label without links, because links can't be nested. */
function writeLabel(link: Tokens.Link | Tokens.Image, depth: number): string {
  const isFlat = !link.tokens.some(({ type }) => type === 'link' || type === 'image');
  return isFlat ? writeInline(link.tokens, depth) : escapeHtml(wordsOf(link.tokens));
}

const inlineOf = (token: Token): readonly Token[] => {
  const inner = (token as Tokens.Generic).tokens;
  return inner ?? [{ type: 'text', raw: token.raw, text: token.raw, escaped: true } as Tokens.Text];
};
const lines = (text: string) => escapeHtml(text).replaceAll('\n', '<br>');
const paragraph = (html: string) => `<p style="margin:0 0 12px">${html}</p>`;
