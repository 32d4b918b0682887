import { cleanText } from '../../../../text/domain/clean-text.ts';
import { withoutRemarks } from '../../../../text/domain/remarks.ts';
import { type Fields, textOf } from '../../../domain/fields.ts';
import type { Entity } from '../update.ts';
import { entityWords } from './entity-words.ts';
import { readEntities } from './read-entities.ts';
import { referencesOf, wordsOfContent } from './references.ts';
import { richWords, showRemarks } from './rich-words.ts';

interface FormattedText {
  text: string;
  entities: readonly Entity[];
  hasRemarks?: true;
}

interface Words {
  /** Remarks about where the message comes from and what it refers to. */
  references: readonly string[];
  /** The person's words, and remarks about content that is no text. Empty if there are none. */
  body: string;
}

/** The text of a message: its text, its formatted text, or its caption. */
export function textOfMessage(message: Fields): FormattedText {
  if (textOf(message.text).trim() !== '')
    return { text: textOf(message.text), entities: readEntities(message.entities) };
  const rich = richWords(message.rich_message);
  if (rich && rich.text.trim() !== '') return rich;
  const text = textOf(message.caption ?? message.text);
  return { text, entities: readEntities(message.caption_entities ?? message.entities) };
}

/** The words of a text from `start` on, in which no line can pass for a remark of ours. */
export function shownWords({ text, entities, hasRemarks }: FormattedText, start = 0): string {
  const words = withoutRemarks(cleanText(entityWords(text, entities, start)));
  return hasRemarks ? showRemarks(words) : words;
}

/**
 * The one way in which a message becomes words for an agent, which reads what the person sees. `start` is where the
 * text begins without the bot's name or a command. Lines of the text can't pass for a remark of ours.
 */
export function wordsOfMessage(
  message: Fields,
  formatted: FormattedText,
  { start, opensTopic }: { start: number; opensTopic: boolean },
): Words {
  const written = shownWords(formatted, start);
  const said = start > 0 ? written.trim() : written;
  const content = cleanText(wordsOfContent(message) ?? '');
  const body = [said, content].filter((one) => one.trim() !== '').join('\n');
  return { references: referencesOf(message, { opensTopic }).map(cleanText), body };
}
