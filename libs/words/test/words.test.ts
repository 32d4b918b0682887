import {
  type BotWordKey,
  botWordKeys,
  placeholdersOf,
  spokenLanguages,
} from '@botyard/contracts/http/bot-words';
import { describe, expect, test } from 'vitest';
import type { WordKey } from '../src/catalogue/catalogue.ts';
import { catalogues } from '../src/catalogue/languages.ts';
import { catalogueText, isTextOf, speaking } from '../src/words.ts';

const keys = Object.keys(catalogues.en) as WordKey[];
const placeholdersIn = (text: string) =>
  [...new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))].sort();
const expectedOf = (key: WordKey): string[] => {
  if (key in botWordKeys) return [...placeholdersOf(key as BotWordKey)].sort();
  if (key === 'invite_subject' || key === 'invite_came') return ['tenant'];
  return /^(chat_)?mail_(subject|came)$/.test(key) ? ['mailbox'] : [];
};

describe.each(spokenLanguages)('in %s', (language) => {
  test('every text exists, and names exactly the values that it may name', () => {
    for (const key of keys) {
      const text = catalogueText(language, key);
      expect(text.trim(), key).toBe(text);
      expect(text, key).not.toBe('');
      expect(placeholdersIn(text), `${language} ${key}`).toEqual(expectedOf(key));
      expect(text.replace(/\{\w+\}/g, ''), key).not.toMatch(/[{}$]/);
    }
  });

  test('no text is left in English', () => {
    const left = keys.filter((key) => catalogues[language][key] === catalogues.en[key]);
    expect(left).toEqual(language === 'en' ? keys : []);
  });

  test("the menu fits the messenger's limits", () => {
    for (const key of ['menu_start', 'menu_help', 'menu_new', 'menu_stop'] as const)
      expect(speaking(language)(key).length).toBeLessThanOrEqual(256);
  });

  test('the commands keep their names', () => {
    expect(speaking(language)('help').match(/^\/(new|stop|help)\b/gm)).toEqual(['/new', '/stop', '/help']);
    expect(speaking(language)('agents_list')).toContain('/agent');
  });
});

describe('the language', () => {
  test.each([
    ['pt-br', {}, 'pt'],
    ['zh-Hant-TW', {}, 'zh'],
    ['EN-us', {}, 'en'],
    ['nl', {}, 'en'],
    ['nl', { defaultLanguage: 'de-AT' }, 'de'],
    [null, { defaultLanguage: 'fr' }, 'fr'],
    [undefined, { defaultLanguage: 'xx' }, 'en'],
    ['', { defaultLanguage: 'it' }, 'it'],
    ['de_DE', { defaultLanguage: 'it' }, 'it'],
    ['../../de', { defaultLanguage: 'it' }, 'it'],
    ['__proto__', { defaultLanguage: 'it' }, 'it'],
    ['constructor', {}, 'en'],
    ['de\n', {}, 'en'],
    [`de-${'x'.repeat(100_000)}`, {}, 'en'],
    ['de-1-2', {}, 'en'],
  ] as const)('%j with %j is that of %s', (language, bot, spoken) => {
    expect(speaking(language, bot)('goodbye')).toBe(speaking(spoken)('goodbye'));
  });
});

describe("a bot's own texts", () => {
  test("precede the catalogue's, the nearest language first, and don't affect other texts", () => {
    const words = { 'pt-BR': { goodbye: 'Tchau!' }, pt: { goodbye: 'Adeus!', help: 'Ajuda.' } };
    const brazilian = speaking('pt-br', { words });
    expect([brazilian('goodbye'), brazilian('help')]).toEqual(['Tchau!', 'Ajuda.']);
    expect(brazilian('delay')).toBe(speaking('pt')('delay'));
    expect(speaking('pt', { words })('goodbye')).toBe('Adeus!');
    expect(speaking('de', { words })('goodbye')).toBe(speaking('de')('goodbye'));
  });

  test('may be in a language without any other text', () => {
    const bot = { defaultLanguage: 'de', words: { nl: { goodbye: 'Tot ziens!' } } };
    expect(speaking('nl-BE', bot)('goodbye')).toBe('Tot ziens!');
    expect(speaking('nl-BE', bot)('delay')).toBe(speaking('de')('delay'));
  });

  test('in the default language are sent only to people whose language has no texts', () => {
    const bot = { defaultLanguage: 'de', words: { de: { goodbye: 'Tschüss!' } } };
    expect(speaking('nl', bot)('goodbye')).toBe('Tschüss!');
    expect(speaking('fr', bot)('goodbye')).toBe(speaking('fr')('goodbye'));
  });

  test('name exactly their placeholders: a value is never parsed again', () => {
    const greeting = "L'{bot} {{bot}} {secret} {constructor} $[process.env.HOME] {$bot} {bot";
    const said = speaking('fr', { words: { fr: { greeting } } })('greeting', { bot: '{bot} $& $1 {secret}' });
    expect(said).toBe(
      "L'{bot} $& $1 {secret} {{bot} $& $1 {secret}} {secret} {constructor} $[process.env.HOME] {$bot} {bot",
    );
  });

  test('are recognized as texts of the bot', () => {
    const words = { nl: { delay: 'Momentje.' } };
    expect(isTextOf('delay', 'Momentje.', { words })).toBe(true);
    expect(isTextOf('delay', 'Momentje.', {})).toBe(false);
    for (const language of spokenLanguages)
      expect(isTextOf('delay', speaking(language)('delay'), {})).toBe(true);
  });
});

describe('an inserted value', () => {
  test('is counted as the language counts', () => {
    const said = (language: string) =>
      [1, 2, 5, 21].map((count) => speaking(language)('agents_more', { count }));
    expect(said('ru')).toEqual(['и ещё 1 агент', 'и ещё 2 агента', 'и ещё 5 агентов', 'и ещё 21 агент']);
    expect(said('de')).toEqual(['und 1 weiterer', 'und 2 weitere', 'und 5 weitere', 'und 21 weitere']);
    expect(said('ar')[1]).toBe('واثنان آخران');
  });

  test('stays whole in a text from right to left', () => {
    expect(speaking('ar')('agent_chosen', { agent: 'Max (v2)' })).toContain('\u2068Max (v2)\u2069');
    expect(speaking('en')('agent_chosen', { agent: 'Max' })).toBe('Max answers you now.');
  });

  test('is inserted unchanged, for any content', () => {
    const bot = '{$bot} {bot} .match $& \\ {{x}}';
    for (const language of ['en', 'de', 'ja']) expect(speaking(language)('greeting', { bot })).toContain(bot);
  });
});
