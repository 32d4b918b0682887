import { countStopWords, foldWord } from '../../../routing/domain/words/languages.ts';

/** Somebody in the records of a chat. */
export interface KnownPerson {
  personId: string;
  names: readonly string[];
  /** Accounts on platforms, without `@`: names of users, mail addresses, phone numbers, numbers of accounts. */
  accounts: readonly string[];
}

/** A word of names, with the words that follow it there. */
interface NameNode {
  next: Map<string, NameNode>;
  /** The person whose name ends here. */
  personId?: string;
}

const maxPeople = 200;
const maxUnitsOfName = 200;
const maxWords = 12;
const word = /[\p{L}\p{M}\p{N}_]+/gu;
/** Scripts that don't separate words. */
const unseparated = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}]/u;

export interface Word {
  folded: string;
  text: string;
  start: number;
  end: number;
}

/** The words of a text, without case and accents. */
export const wordsOf = (text: string): Word[] =>
  [...text.matchAll(word)].map(({ 0: found, index }) => ({
    folded: fold(found),
    text: found,
    start: index,
    end: index + found.length,
  }));

const fold = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
/** Whether it is one of the words that texts of a language are full of. */
export const isCommon = (text: string): boolean => countStopWords([foldWord(text)]).size > 0;

/** The people of a chat, found by their names and accounts. A name is never a pattern. */
export class KnownPeople {
  readonly #names: NameNode = { next: new Map() };
  /** Names of two letters, which are meant only as they are written. */
  readonly #shortNames = new Map<string, string>();
  readonly #accounts = new Map<string, string>();
  /** Names in scripts that don't separate words. */
  readonly runs: { name: string; personId: string }[] = [];
  /** Names that are common words, and so are not replaced. */
  readonly commonNames = new Set<string>();

  constructor(people: readonly KnownPerson[]) {
    for (const { personId, names, accounts } of people.slice(0, maxPeople)) {
      for (const account of accounts) if (account !== '') this.#accounts.set(account.toLowerCase(), personId);
      for (const name of names) this.#addName(name.slice(0, maxUnitsOfName), personId);
    }
    this.runs.sort((one, other) => other.name.length - one.name.length);
  }

  /** The person with this account. */
  byAccount = (account: string): string | undefined => this.#accounts.get(account.toLowerCase());

  /** The longest name that begins at this word. */
  nameAt(words: readonly Word[], at: number): { personId: string; length: number } | undefined {
    const shortName = this.#shortNames.get(words[at]?.text ?? '');
    let longest = shortName === undefined ? undefined : { personId: shortName, length: 1 };
    let node: NameNode | undefined = this.#names;
    for (let length = 1; length <= maxWords; length += 1) {
      node = node.next.get(words[at + length - 1]?.folded ?? '');
      if (!node) break;
      if (node.personId !== undefined) longest = { personId: node.personId, length };
    }
    return longest;
  }

  #addName(name: string, personId: string): void {
    if (unseparated.test(name)) {
      const run = name.trim();
      if (run.length > 1) this.runs.push({ name: run, personId });
      return;
    }
    const words = wordsOf(name).slice(0, maxWords);
    const folded = words.map((part) => part.folded);
    // A name without its first words is one, too: `O'Brien` are two words.
    for (let from = 0; from < folded.length - 1; from += 1) this.#add(folded.slice(from), personId);
    for (const part of words) this.#addPart(part, personId);
  }

  /** A part of a name alone. A single letter is none, and two are meant only as they are written. */
  #addPart({ folded, text }: Word, personId: string): void {
    if (!/\p{L}/u.test(folded) || folded.length < 2) return;
    if (isCommon(text)) this.commonNames.add(text);
    else if (folded.length === 2) this.#shortNames.set(text, personId);
    else this.#add([folded], personId);
  }

  /** The first person of a name keeps it. */
  #add(words: readonly string[], personId: string): void {
    let node = this.#names;
    for (const folded of words) {
      const next = node.next.get(folded) ?? { next: new Map() };
      node.next.set(folded, next);
      node = next;
    }
    node.personId ??= personId;
  }
}
