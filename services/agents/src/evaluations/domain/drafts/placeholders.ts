import type { CaseDraft } from '@botyard/contracts/http/evaluations-drafts';

type Replaced = CaseDraft['replaced'][number];
export type ReplacedKind = Replaced['kind'];

/** The placeholders of one draft, by order of appearance: the same text gets the same one everywhere. */
export class Placeholders {
  readonly #made = new Map<string, Replaced>();
  readonly #counts = new Map<string, number>();
  readonly #people = new Map<string, number>();

  get replaced(): Replaced[] {
    return [...this.#made.values()];
  }

  /** Makes no further placeholders: only what has one is replaced. */
  isComplete = false;

  /**
   * The placeholder for a text; `key` is what makes two spellings the same. `undefined` for a new text if all
   * placeholders are made.
   */
  of(kind: ReplacedKind, key: string, original: string, make: () => string): string | undefined {
    const id = `${kind} ${key}`;
    if (this.isComplete && !this.#made.has(id)) return undefined;
    const made = this.#made.get(id) ?? { kind, original: shortened(original), placeholder: make(), times: 0 };
    made.times += 1;
    this.#made.set(id, made);
    return made.placeholder;
  }

  /** 1 for the first of its sort, and so on. */
  next(sort: string): number {
    const count = (this.#counts.get(sort) ?? 0) + 1;
    this.#counts.set(sort, count);
    return count;
  }

  /** The number of a person, who is the same by name and by address. */
  numberOf(person: string): number {
    const number = this.#people.get(person) ?? this.next('person');
    this.#people.set(person, number);
    return number;
  }
}

const maxUnitsOfOriginal = 200;
const shortened = (text: string): string =>
  text.length <= maxUnitsOfOriginal ? text : `${text.slice(0, maxUnitsOfOriginal).toWellFormed()}…`;
