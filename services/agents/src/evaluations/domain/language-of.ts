import { countStopWords, foldWord } from '../../routing/domain/words/languages.ts';

const maxUnits = 20_000;
const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/** The language with the most stop words in a text; `null` without any, or if two have as many. */
export function languageOf(text: string): string | null {
  const segments = segmenter.segment(text.slice(0, maxUnits).toWellFormed());
  const words = [...segments].filter(({ isWordLike }) => isWordLike).map(({ segment }) => foldWord(segment));
  const [best, second] = [...countStopWords(words)].sort(([, left], [, right]) => right - left);
  return best && best[1] > (second?.[1] ?? 0) ? best[0] : null;
}
