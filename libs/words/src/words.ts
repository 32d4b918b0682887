import {
  type BotWordKey,
  type BotWords,
  type botWordKeys,
  canonicalLanguage,
  defaultLanguageOfBots,
  isLanguageTag,
  type SpokenLanguage,
  spokenLanguages,
} from '@botyard/contracts/http/bot-words';
import { MessageFormat } from 'messageformat';
import type { PlatformWordKey, WordKey } from './catalogue/catalogue.ts';
import { catalogues } from './catalogue/languages.ts';

type Placeholder<Key extends WordKey> = Key extends BotWordKey
  ? (typeof botWordKeys)[Key] extends { placeholders: readonly (infer Name)[] }
    ? Name
    : never
  : Key extends 'mail_subject' | 'mail_came' | 'chat_mail_subject' | 'chat_mail_came'
    ? 'mailbox'
    : Key extends 'invite_subject' | 'invite_came'
      ? 'tenant'
      : never;
type Values<Key extends WordKey> = Readonly<Record<Placeholder<Key>, string | number>>;

/** Texts without placeholders. */
export type PlainWordKey = {
  [Key in BotWordKey]: [Placeholder<Key>] extends [never] ? Key : never;
}[BotWordKey];

/** The text of a key in the selected language, with its values inserted unchanged. */
export type Say = <Key extends WordKey>(
  key: Key,
  ...values: [Placeholder<Key>] extends [never] ? [] : [Values<Key>]
) => string;

/** How a bot speaks: its language for people whose language is unknown, and its own texts. */
interface Speech {
  defaultLanguage?: string | null;
  words?: BotWords | null;
}

/**
 * Selects texts in a person's language. Each text is searched in the person's language, in that without its last
 * part, and so on, then likewise in the bot's default language, and finally in English; the bot's own texts precede
 * the catalogue's. `language` may be any text of a stranger: an invalid tag, or a language without texts, counts as
 * unknown.
 */
export function speaking(language: string | null | undefined, { defaultLanguage, words }: Speech = {}): Say {
  const tags = [...tagsOf(language), ...tagsOf(defaultLanguage), defaultLanguageOfBots];
  const own = words ? ownTexts(words) : undefined;
  return (key, ...[values = {}]) => {
    for (const tag of tags) {
      const text = own?.get(tag)?.[key as BotWordKey];
      if (text !== undefined) return filledIn(text, values);
      if (isSpoken(tag))
        return messageOf(tag, key).format(values as Record<string, unknown>, () => undefined);
    }
    throw new Error(`no text for ${key}`);
  };
}

/** The language of the catalogue for a person: `pt` for `pt-BR`, and English if theirs isn't in it. */
export const spokenLanguageOf = (language: string | null | undefined): SpokenLanguage =>
  tagsOf(language).find(isSpoken) ?? defaultLanguageOfBots;

/** The text in the catalogue with its placeholders in braces; in English if the catalogue lacks the language. */
export function catalogueText(language: string, key: WordKey): string {
  const shown = messageOf(spokenLanguageOf(language), key).format({}, () => undefined);
  return shown.replace(/[\u2066-\u2069]/g, '').replace(/\{\$(\w+)\}/g, '{$1}');
}

/** `pt-BR` and its fallback: `pt`. In lower case. */
function tagsOf(language: string | null | undefined): string[] {
  if (!language || !isLanguageTag(language)) return [];
  const parts = (canonicalLanguage(language) ?? language).toLowerCase().split('-');
  return parts.map((_part, index) => parts.slice(0, parts.length - index).join('-'));
}

const ownTexts = (words: BotWords) =>
  new Map(Object.entries(words).map(([language, texts]) => [language.toLowerCase(), texts]));

const isSpoken = (tag: string): tag is SpokenLanguage => (spokenLanguages as readonly string[]).includes(tag);

/** Replaces in one pass: an inserted value is never parsed again, so nothing in it counts as a placeholder. */
const filledIn = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : whole,
  );

const messages = new Map<string, MessageFormat>();

/** Parsed at the first use. */
function messageOf(language: SpokenLanguage, key: BotWordKey | PlatformWordKey): MessageFormat {
  const name = `${language}/${key}`;
  let message = messages.get(name);
  if (!message) {
    // Isolates names in the other direction within a right-to-left text.
    const bidiIsolation = language === 'ar' ? 'default' : 'none';
    message = new MessageFormat(language, catalogues[language][key], { bidiIsolation });
    messages.set(name, message);
  }
  return message;
}

const spokenTexts = new Map<PlainWordKey, ReadonlySet<string>>();

/** Whether the bot's text under the key, in any language, equals this text. */
export function isTextOf(key: PlainWordKey, text: string, { words }: Speech): boolean {
  let spoken = spokenTexts.get(key);
  if (!spoken) {
    spoken = new Set(spokenLanguages.map((language) => speaking(language)(key)));
    spokenTexts.set(key, spoken);
  }
  return spoken.has(text) || Object.values(words ?? {}).some((own) => own[key] === text);
}
