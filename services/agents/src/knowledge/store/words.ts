/**
 * Text in its searchable form. The same rules apply to passages and queries, independent of language and the database's
 * locale.
 */
const wordPattern = /[\p{L}\p{M}\p{N}]+/gu;
/** Scripts without spaces between words: a dictionary splits them. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** Accents of Latin, Greek and Cyrillic letters. Marks of other scripts are part of their letters. */
const accents = /[\u0300-\u036f]/g;

const maxUnitsOfWord = 64;
const maxPlacesOfWord = 16;
const maxPlace = 16_383;

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/** The words of a text in order, normalized: without case, accents and width. */
export function wordsOf(text: string): string[] {
  const folded = text.normalize('NFKC').toLowerCase().normalize('NFD').replace(accents, '').normalize('NFC');
  return (folded.match(wordPattern) ?? [])
    .flatMap((word) => (unspaced.test(word) ? segmentsOf(word) : [word]))
    .map((word) => word.slice(0, maxUnitsOfWord).toWellFormed());
}

const segmentsOf = (word: string): string[] =>
  [...segmenter.segment(word)].filter(({ isWordLike }) => isWordLike).map(({ segment }) => segment);

/** A passage for Postgres's full-text search: a `tsvector` that gives the heading's words more weight. */
export function tsvectorOf({ heading, text }: { heading: string; text: string }): string {
  const places = new Map<string, string[]>();
  const marked = [
    ...wordsOf(heading).map((word) => ({ word, weight: 'A' })),
    ...wordsOf(text).map((word) => ({ word, weight: 'B' })),
  ];
  for (const [index, { word, weight }] of marked.entries()) {
    const placesOfWord = places.get(word) ?? [];
    if (placesOfWord.length < maxPlacesOfWord) placesOfWord.push(`${Math.min(index + 1, maxPlace)}${weight}`);
    places.set(word, placesOfWord);
  }
  return [...places].map(([word, at]) => `${quoted(word)}:${at.join(',')}`).join(' ');
}

const maxQueryWords = 24;
/** Words from this length on also match their other forms, by a common prefix. */
const lettersOfStem = 5;

/** The distinct words of a query, each as a `tsquery`. Empty if it has no words. */
export function tsqueriesOf(query: string): string[] {
  const words = [...new Set(wordsOf(query))].slice(0, maxQueryWords);
  return words.map((word) => {
    const stem = stemOf(word);
    return stem ? `${quoted(word)} | ${quoted(stem)}:*` : quoted(word);
  });
}

/** The common prefix of a word's forms: an approximation for any language. Numbers have no forms. */
function stemOf(word: string): string | undefined {
  const letters = [...word];
  if (letters.length < lettersOfStem || /\p{N}/u.test(word)) return undefined;
  return letters.slice(0, Math.max(lettersOfStem, letters.length - 2)).join('');
}

/** Needs no escapes, because words consist of letters, marks and digits. */
const quoted = (word: string): string => `'${word}'`;
