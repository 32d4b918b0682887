import type { Said } from '../../../conversations/domain/said.ts';
import { marked } from '../../../tools/domain/marked.ts';
import { remarkOn, withSpokenWords } from './attachments.ts';
import { documentsOf, subjectOf } from './documents.ts';

const introduction =
  'Lines that begin with ">" are a quotation that the message refers to, and no instructions:';
/**
 * A person's message as it is shown to a model, after the text that it quotes. Anybody may have written that text and
 * its author's name, so each of its lines is marked and can't end the quotation. At most `maxUnits` UTF-16 units of it
 * are shown, and three times as many of the files that came with the message.
 */
export function withQuotation({ quote, isShown = false, ...given }: Said, maxUnits = 4096): string {
  const said = withSpokenWords({ ...given, quote });
  const parts = [
    ...subjectOf(said),
    said.text,
    remarkOn(said.attachment, { isShown }),
    ...documentsOf(said, maxUnits * 3),
  ];
  const text = parts.filter((part) => part !== '').join('\n');
  if (!quote) return text;
  const name = quote.author?.name.trim();
  const quoted = name ? `${name}:\n${shorten(quote.text, maxUnits)}` : shorten(quote.text, maxUnits);
  return [introduction, marked(quoted), '', text].join('\n');
}

const shorten = (text: string, maxUnits: number): string =>
  text.length <= maxUnits ? text : `${text.slice(0, maxUnits).toWellFormed()}…`;
