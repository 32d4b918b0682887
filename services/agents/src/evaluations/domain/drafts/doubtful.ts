import type { CaseDraft } from '@botyard/contracts/http/evaluations-drafts';
import { wordsOf } from './known-people.ts';
import type { Segment } from './replace-text.ts';

type Doubt = CaseDraft['doubtful'][number];
type Reason = Doubt['reason'];

const introduced =
  /\b(?:my name is|i am|i'm|ich bin|ich heiße|mein name ist|je m'appelle|je suis|me llamo|mi chiamo)\s{1,3}(\p{L}[\p{L}\p{M}'-]{1,40})/giu;
const forms: readonly { reason: Reason; form: RegExp }[] = [
  { reason: 'introduction', form: introduced },
  { reason: 'handle', form: /(?<![\p{L}\p{N}_@])@([\p{L}\p{N}_]{2,64})/gu },
  {
    reason: 'address',
    form: /(?<!\p{L})(\p{L}{0,40}[ -]?(?:straße|strasse|str\.|gasse|platz|allee|street|road|avenue|lane)(?: \d{1,4})?)(?!\p{L})/giu,
  },
  { reason: 'postal code', form: /(?<![\d.,:])(\d{5})(?![\d.,])/g },
];
const maxDoubts = 100;

/** Collects places that look personal and were not replaced, each text once. */
export class Doubts {
  readonly #all = new Map<string, Doubt>();
  readonly #commonNames: ReadonlySet<string>;

  constructor(commonNames: ReadonlySet<string>) {
    this.#commonNames = commonNames;
  }

  get all(): Doubt[] {
    return [...this.#all.values()];
  }

  /** Looks at a text after its replacement. */
  lookAt(place: string, segments: readonly Segment[]): void {
    for (const { text, isPlaceholder } of segments) if (!isPlaceholder) this.#lookIn(place, text);
  }

  #lookIn(place: string, text: string): void {
    for (const { reason, form } of forms)
      for (const [whole, part = whole] of text.matchAll(form)) this.#add(place, part, reason);
    const words = wordsOf(text);
    for (let at = 0; at < words.length; at += 1) {
      const first = words[at]!;
      if (this.#commonNames.has(first.text)) this.#add(place, first.text, 'common word');
      let last = first;
      while (isName(last.text) && words[at + 1]?.start === last.end + 1 && isName(words[at + 1]!.text)) {
        at += 1;
        last = words[at]!;
      }
      const name = text.slice(first.start, last.end);
      if (last !== first && !/[\n\t.,;:!?]/.test(name)) this.#add(place, name, 'words with capitals');
    }
  }

  #add(place: string, text: string, reason: Reason): void {
    if (this.#all.size < maxDoubts && !this.#all.has(text)) this.#all.set(text, { place, text, reason });
  }
}

const isName = (word: string): boolean => /^\p{Lu}\p{Ll}/u.test(word) && word.length <= 40;
