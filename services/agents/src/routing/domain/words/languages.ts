import { stemmer as stemArabic } from '@orama/stemmers/arabic';
import { stemmer as stemDanish } from '@orama/stemmers/danish';
import { stemmer as stemDutch } from '@orama/stemmers/dutch';
import { stemmer as stemEnglish } from '@orama/stemmers/english';
import { stemmer as stemFinnish } from '@orama/stemmers/finnish';
import { stemmer as stemFrench } from '@orama/stemmers/french';
import { stemmer as stemGerman } from '@orama/stemmers/german';
import { stemmer as stemGreek } from '@orama/stemmers/greek';
import { stemmer as stemHungarian } from '@orama/stemmers/hungarian';
import { stemmer as stemIndonesian } from '@orama/stemmers/indonesian';
import { stemmer as stemItalian } from '@orama/stemmers/italian';
import { stemmer as stemNorwegian } from '@orama/stemmers/norwegian';
import { stemmer as stemPortuguese } from '@orama/stemmers/portuguese';
import { stemmer as stemRussian } from '@orama/stemmers/russian';
import { stemmer as stemSpanish } from '@orama/stemmers/spanish';
import { stemmer as stemSwedish } from '@orama/stemmers/swedish';
import { stemmer as stemTurkish } from '@orama/stemmers/turkish';
import { stemmer as stemUkrainian } from '@orama/stemmers/ukrainian';
import { stopwords as arabic } from '@orama/stopwords/arabic';
import { stopwords as bulgarian } from '@orama/stopwords/bulgarian';
import { stopwords as danish } from '@orama/stopwords/danish';
import { stopwords as dutch } from '@orama/stopwords/dutch';
import { stopwords as english } from '@orama/stopwords/english';
import { stopwords as finnish } from '@orama/stopwords/finnish';
import { stopwords as french } from '@orama/stopwords/french';
import { stopwords as german } from '@orama/stopwords/german';
import { stopwords as greek } from '@orama/stopwords/greek';
import { stopwords as hungarian } from '@orama/stopwords/hungarian';
import { stopwords as indonesian } from '@orama/stopwords/indonesian';
import { stopwords as italian } from '@orama/stopwords/italian';
import { stopwords as japanese } from '@orama/stopwords/japanese';
import { stopwords as mandarin } from '@orama/stopwords/mandarin';
import { stopwords as norwegian } from '@orama/stopwords/norwegian';
import { stopwords as portuguese } from '@orama/stopwords/portuguese';
import { stopwords as romanian } from '@orama/stopwords/romanian';
import { stopwords as russian } from '@orama/stopwords/russian';
import { stopwords as spanish } from '@orama/stopwords/spanish';
import { stopwords as swedish } from '@orama/stopwords/swedish';
import { stopwords as turkish } from '@orama/stopwords/turkish';
import { stopwords as ukrainian } from '@orama/stopwords/ukrainian';
import { getOrInsert } from './get-or-insert.ts';
import { smallTalk } from './small-talk.ts';

interface Language {
  stopWords?: readonly string[];
  stem?: (word: string) => string;
}

/**
 * Without Bulgarian and Romanian: the library's Bulgarian stemmer throws, and its Romanian one takes twenty times as
 * long as others.
 */
const languages: Readonly<Record<string, Language>> = {
  ar: { stopWords: arabic, stem: stemArabic },
  da: { stopWords: danish, stem: stemDanish },
  bg: { stopWords: bulgarian },
  de: { stopWords: german, stem: stemGerman },
  el: { stopWords: greek, stem: stemGreek },
  en: { stopWords: english, stem: stemEnglish },
  es: { stopWords: spanish, stem: stemSpanish },
  fi: { stopWords: finnish, stem: stemFinnish },
  fr: { stopWords: french, stem: stemFrench },
  hu: { stopWords: hungarian, stem: stemHungarian },
  id: { stopWords: indonesian, stem: stemIndonesian },
  it: { stopWords: italian, stem: stemItalian },
  ja: { stopWords: japanese },
  nl: { stopWords: dutch, stem: stemDutch },
  no: { stopWords: norwegian, stem: stemNorwegian },
  pl: {},
  pt: { stopWords: portuguese, stem: stemPortuguese },
  ro: { stopWords: romanian },
  ru: { stopWords: russian, stem: stemRussian },
  sv: { stopWords: swedish, stem: stemSwedish },
  th: {},
  tr: { stopWords: turkish, stem: stemTurkish },
  uk: { stopWords: ukrainian, stem: stemUkrainian },
  zh: { stopWords: mandarin },
};

const byScript: readonly [RegExp, readonly string[]][] = [
  [/\p{Script=Cyrillic}/u, ['ru', 'uk']],
  [/\p{Script=Arabic}/u, ['ar']],
  [/\p{Script=Greek}/u, ['el']],
];
/** The languages that a text in Latin letters may have when none of its words identifies one. */
const usualLatin = ['en', 'de', 'es', 'fr', 'it', 'nl', 'pt'];
const latinLanguages = ['da', 'de', 'en', 'es', 'fi', 'fr', 'hu', 'id', 'it', 'nl', 'no', 'pt', 'sv', 'tr'];

/** Normalizes a word: composed forms, case and accents make no difference. */
export const foldWord = (word: string): string =>
  plainWord.test(word) ? word.toLowerCase() : foldLetters(word);

const plainWord = /^[\w'-]*$/;

const foldLetters = (word: string): string =>
  word
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\p{Mn}\p{Cf}ـ]/gu, (mark) => (keptMarks.test(mark) ? mark : ''))
    .normalize('NFC')
    .replace(/[ىٱ]/g, (letter) => (letter === 'ى' ? 'ي' : 'ا'))
    .replaceAll('ß', 'ss')
    .replaceAll('ı', 'i');

/** Marks that change the letter or vowel: in Japanese, Thai, and the scripts of India. */
const keptMarks = /[\u3099\u309a\u0900-\u0eff]/;

/** The languages in which a folded word is a stop word. */
const stopWords: ReadonlyMap<string, readonly string[]> = readStopWords();

function readStopWords(): Map<string, string[]> {
  const languagesOfWord = new Map<string, string[]>();
  for (const [code, { stopWords: listed = [] }] of Object.entries(languages)) {
    const words = [...listed, ...(smallTalk[code] ?? '').split(/\s+/)].map(foldWord);
    for (const word of new Set(words))
      if (word !== '') getOrInsert(languagesOfWord, word, () => []).push(code);
  }
  return languagesOfWord;
}

/**
 * The languages that a text may be in: those with the most stop words in it. Empty if it has none. A text that mixes
 * languages, or is too short to tell, has several.
 */
export function languagesOf(foldedWords: Iterable<string>): ReadonlySet<string> {
  const hits = countStopWords(foldedWords);
  const enough = Math.max(0, ...hits.values()) / 2;
  return new Set([...hits].flatMap(([code, count]) => (count >= enough ? [code] : [])));
}

/** The number of stop words that a text has of each language. */
export function countStopWords(foldedWords: Iterable<string>): Map<string, number> {
  const hits = new Map<string, number>();
  for (const word of foldedWords)
    for (const code of stopWords.get(word) ?? []) hits.set(code, (hits.get(code) ?? 0) + 1);
  return hits;
}

export const isStopWord = (folded: string, spoken: ReadonlySet<string>): boolean =>
  stopWords.get(folded)?.some((code) => spoken.has(code)) ?? false;

/** The stems of a word, each prefixed with its language, so that stems of two languages are never confused. */
export function stemsOf(word: string, spoken: ReadonlySet<string> | 'any'): string[] {
  const lower = word.normalize('NFKC').toLowerCase();
  return stemLanguages(lower, spoken).flatMap((code) => {
    const stem = foldWord(languages[code]?.stem?.(lower) ?? '');
    return stem.length >= leastStem(lower) ? [`${code}:${stem}`] : [];
  });
}

/** Shorter stems are shared by too many words: a German stemmer leaves `off` of `offer` and of `offen`. */
const leastStem = (word: string): number =>
  /\p{Script=Latin}/u.test(word) ? Math.min(4, word.length - 1) : Math.min(3, word.length - 1);

function stemLanguages(word: string, spoken: ReadonlySet<string> | 'any'): readonly string[] {
  const ofScript = byScript.find(([script]) => script.test(word))?.[1];
  if (ofScript) return ofScript;
  if (!/\p{Script=Latin}/u.test(word)) return [];
  if (spoken === 'any') return latinLanguages;
  const latin = latinLanguages.filter((code) => spoken.has(code));
  return latin.length > 0 ? latin : usualLatin;
}
