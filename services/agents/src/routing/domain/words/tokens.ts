import { foldWord, isStopWord, languagesOf, stemsOf } from './languages.ts';

/** A word of a text. */
export interface Token {
  /** Normalized by `foldWord`. */
  folded: string;
  /** Stems shared with its other forms, each with its language before it. */
  stems: readonly string[];
  /** Whether it carries no topic in the language of the text. */
  isStopWord: boolean;
}

const segmented =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]+/u;
const wordPattern = /[\p{L}\p{M}\p{N}]+/gu;
/** Finds words in scripts without spaces. The dictionaries are chosen by script, not by this language. */
const segmenter = new Intl.Segmenter('ja', { granularity: 'word' });
/** Adjacent words that may be one: dictionaries split the same word differently in different sentences. */
const maxJoined = 3;

/** Longer words are cut, because they aren't real words. */
const maxWordUnits = 40;

export const isSegmented = (word: string): boolean => segmented.test(word);

/**
 * The words of a text in order, each once, up to a limit. `'any'` gives stems of all languages of a word's script, for
 * lists of words whose language can't be detected.
 */
export function tokensOf(text: string, limits: TextLimits, language?: 'any'): Token[] {
  const words = rawWords(text.slice(0, limits.units).toWellFormed());
  const mixesCases = /\p{Ll}/u.test(text);
  const folds = new Map<string, string>();
  for (const word of words) {
    const folded = foldWord(word);
    if (folded !== '' && !folds.has(folded)) folds.set(folded, word);
    if (folds.size >= limits.words) break;
  }
  const spoken = languagesOf(folds.keys());
  return [...folds].map(([folded, word]) => ({
    folded,
    stems: stemsOf(word, language ?? spoken),
    isStopWord: isStopWord(folded, spoken) && !(mixesCases && isAcronym(word)),
  }));
}

export interface TextLimits {
  units: number;
  words: number;
}

/** An acronym such as IT is a topic, although "it" is a stop word. */
const isAcronym = (word: string): boolean => /^\p{Lu}{2,5}$/u.test(word);

function rawWords(text: string): string[] {
  const words = text.normalize('NFKC').match(wordPattern) ?? [];
  return words.flatMap((word) => (segmented.test(word) ? piecesOf(word) : [word])).map(cut);
}

function piecesOf(run: string): string[] {
  const pieces = [...segmenter.segment(run)].map(({ segment }) => segment);
  return pieces.flatMap((_, begin) =>
    Array.from({ length: Math.min(maxJoined, pieces.length - begin) }, (_, more) =>
      pieces.slice(begin, begin + more + 1).join(''),
    ),
  );
}

const cut = (word: string): string => word.slice(0, maxWordUnits).toWellFormed();
