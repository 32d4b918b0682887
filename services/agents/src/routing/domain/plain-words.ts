import { getOrInsert } from './words/get-or-insert.ts';

const scriptsWithoutSpaces =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Normalizes a text: composed and folded forms, case, invisible characters and separators make no difference. */
export function plainName(text: string): string {
  return fold(text)
    .replace(/[\s_-]+/gu, ' ')
    .trim();
}

/** Only the beginning is searched: it shows the topic, and a mail may be much longer. */
const maxUnits = 8000;

/**
 * A message's words, in which phrases are searched. The text is normalized once, and each phrase is looked up in a set,
 * so that thousands of phrases cost little more than one.
 */
export class SaidWords {
  readonly #text: string;
  /** The offset at which each word begins. */
  readonly #begins: number[];
  /** The phrases of each length in the text: by number of words, or by number of units. */
  readonly #phrases = new Map<number, Set<string>>();
  readonly #pieces = new Map<number, Set<string>>();

  constructor(message: string) {
    this.#text = plainWords(message.slice(0, maxUnits)).slice(0, maxUnits);
    this.#begins = [...this.#text.matchAll(/[^ ]+/g)].map(({ index }) => index);
  }

  /** Whether the text contains a phrase, as whole words if its script has spaces between words. */
  says(phrase: string): boolean {
    const wanted = plainWords(phrase);
    if (wanted === '' || wanted.length > this.#text.length) return false;
    if (scriptsWithoutSpaces.test(wanted)) {
      const pieces = getOrInsert(this.#pieces, wanted.length, (units) => this.#piecesOf(units));
      return pieces.has(wanted);
    }
    const count = wanted.split(' ').length;
    return getOrInsert(this.#phrases, count, (words) => this.#phrasesOf(words)).has(wanted);
  }

  #phrasesOf(words: number): Set<string> {
    const lasts = this.#begins.slice(words - 1);
    const ends = lasts.map((_, index) => (this.#begins[index + words] ?? this.#text.length + 1) - 1);
    return new Set(ends.map((end, index) => this.#text.slice(this.#begins[index], end)));
  }

  #piecesOf(units: number): Set<string> {
    const count = this.#text.length - units + 1;
    return new Set(Array.from({ length: count }, (_, begin) => this.#text.slice(begin, begin + units)));
  }
}

const fold = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\p{Cf}/gu, '');

const plainWords = (text: string): string =>
  fold(text)
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim();
