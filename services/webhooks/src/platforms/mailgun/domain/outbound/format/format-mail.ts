import { cleanInput } from '../../../../../text/domain/markdown/clean-input.ts';
import { lexMarkdown } from '../../../../../text/domain/markdown/lex-markdown.ts';
import { plainTextOf } from '../../../../../text/domain/markdown/plain-text.ts';
import { RichText } from '../../../../../text/domain/markdown/rich-text.ts';
import { writeDocument } from '../../../../../text/domain/markdown/write-blocks.ts';
import { writeHtml } from './write-html.ts';

/** One mail as text and as HTML, with the same words. */
export type MailBody = { text: string; html: string };

const maxHtmlUnits = 1_000_000;
const font =
  'font-family:system-ui,-apple-system,&quot;Segoe UI&quot;,Roboto,sans-serif;font-size:15px;line-height:1.45';

/**
 * Turns a model's Markdown into the text and the HTML of a mail, in bounded time. The HTML contains nothing that is
 * fetched or run, and links only to http, https, mailto and tel. Returns `undefined` when nothing is visible.
 */
export function formatMail(markdown: string): MailBody | undefined {
  const input = cleanInput(markdown);
  const tokens = lexMarkdown(input);
  if (!tokens) return plainBody(input);
  const rich = new RichText();
  writeDocument(tokens, rich);
  const text = plainTextOf(rich.runs).trim();
  // Markdown can hide all of an answer, such as a lone link definition.
  if (text === '') return plainBody(input);
  const html = writeHtml(tokens);
  return { text, html: html.length > maxHtmlUnits ? plainHtml(input.trim()) : document(html) };
}

/** A model's answer as it was written, without formatting. Returns `undefined` when nothing is visible. */
export const plainMail = (markdown: string): MailBody | undefined => plainBody(cleanInput(markdown));

function plainBody(input: string): MailBody | undefined {
  const text = input.trim();
  return text === '' ? undefined : { text, html: plainHtml(text) };
}

/** A plain text as the HTML of a mail. */
const plainHtml = (text: string): string =>
  document(writeHtml([{ type: 'html', raw: text, text, block: true, pre: false }]));

const document = (body: string) =>
  `<!doctype html><html><head><meta charset="utf-8"></head><body><div style="${font}">${body}</div></body></html>`;
