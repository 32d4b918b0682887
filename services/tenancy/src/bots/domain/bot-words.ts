import {
  type BotSpeech,
  type BotWordKey,
  botWordKeys,
  canonicalLanguage,
  placeholdersOf,
  spokenLanguages,
} from '@botyard/contracts/http/bot-words';
import { catalogueText } from '@botyard/words/words';
import type { BotRow } from '../store/bots.ts';

const keys = Object.keys(botWordKeys) as BotWordKey[];

/** A bot's texts in every language in which it has its own, together with the texts for all bots. */
export function speechOf({ defaultLanguage, words }: Pick<BotRow, 'defaultLanguage' | 'words'>): BotSpeech {
  const others = Object.keys(words).filter((language) => !isSpoken(language));
  return {
    defaultLanguage,
    languages: [...spokenLanguages],
    keys: keys.map((key) => ({
      key,
      when: botWordKeys[key].when,
      placeholders: [...placeholdersOf(key)],
    })),
    words: [...spokenLanguages, ...others.sort()].map((language) => ({
      language: canonicalLanguage(language) ?? language,
      texts: Object.fromEntries(keys.map((key) => [key, textOf(language, key, words[language]?.[key])])),
    })),
  };
}

const isSpoken = (language: string) => (spokenLanguages as readonly string[]).includes(language);

function textOf(language: string, key: BotWordKey, own: string | undefined) {
  const byDefault = catalogueText(language, key);
  return { text: own ?? byDefault, default: byDefault, isOwn: own !== undefined };
}
