import { lexMarkdown } from '../../../messenger/format/lex-markdown.ts';
import { RichText, type Run } from '../../../messenger/format/rich-text.ts';
import { writeDocument } from '../../../messenger/format/write-blocks.ts';
import { writeHtml } from './write-html.ts';

/** One mail in both of its forms, with the same words. */
export interface MailBody {
  text: string;
  html: string;
}

const maxInputUnits = 100_000;
const maxHtmlUnits = 1_000_000;
const font =
  'font-family:system-ui,-apple-system,&quot;Segoe UI&quot;,Roboto,sans-serif;font-size:15px;line-height:1.45';

/**
 * Turns a model's Markdown into the text and the HTML of a mail, in bounded time. The HTML holds nothing that is fetched or run, and
 * no link but to http, https, mailto and tel. `undefined` when there is nothing to see.
 */
export function formatMail(markdown: string): MailBody | undefined {
  const input = cleanInput(markdown);
  const tokens = lexMarkdown(input);
  const plain = { text: input.trim(), html: plainHtml(input.trim()) };
  if (!tokens) return plain.text === '' ? undefined : plain;
  const rich = new RichText();
  writeDocument(tokens, rich);
  const text = textOf(rich.runs).trim();
  // Markdown can hide all of an answer, such as a lone link definition.
  if (text === '') return plain.text === '' ? undefined : plain;
  const html = writeHtml(tokens);
  return { text, html: html.length > maxHtmlUnits ? plain.html : document(html) };
}

/** A text as it is, as the HTML of a mail. */
export const plainHtml = (text: string): string =>
  document(writeHtml([{ type: 'html', raw: text, text, block: true, pre: false }]));

const document = (body: string) =>
  `<!doctype html><html><head><meta charset="utf-8"></head><body><div style="${font}">${body}</div></body></html>`;

/** What is only behind a label in the HTML is written out after it. */
function textOf(runs: readonly Run[]): string {
  let text = '';
  let label = '';
  for (const [index, { text: words, style }] of runs.entries()) {
    text += words;
    if (style.href === undefined) continue;
    label += words;
    if (runs[index + 1]?.style.href === style.href) continue;
    if (!label.includes(style.href)) text += ` (${style.href})`;
    label = '';
  }
  return text;
}

/** Control characters become spaces, and half a surrogate pair is no character. */
function cleanInput(markdown: string): string {
  const isTooLong = markdown.length > maxInputUnits;
  const kept = isTooLong ? `${markdown.slice(0, maxInputUnits - 2)}\n…` : markdown;
  return kept
    .toWellFormed()
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(/[^\P{Cc}\t\n]/gu, ' ');
}
