import { cutText } from '../../../../../text/domain/clean-text.ts';
import { decodeWords } from './encoded-words.ts';

export interface Person {
  /** In lower case. */
  address: string;
  /** Empty where the mail tells none. */
  name: string;
}

const maxUnitsOfName = 200;
/** Encoded words take several units for each that is shown. */
const unitsReadPerShown = 16;
const maxUnitsOfField = 16_000;
/** Excludes quoted local parts and servers by number: they are not in use, and hide other addresses. */
const address = /^[^\s@<>"(),:;[\]\\\p{C}]{1,64}@[\p{L}\p{N}](?:[\p{L}\p{N}.-]{0,251}[\p{L}\p{N}])?$/u;

/** Whether it can be written to, as we keep addresses. */
export const isAddress = (text: string): boolean =>
  text.length <= 254 && address.test(text) && !text.includes('..');

/** `anna+token@x` as `anna@x`. */
export const withoutPlus = (text: string): string => text.replace(/\+[^@]*@/, '@');

/** The part behind the `+`, if any. */
export const plusOf = (text: string): string | undefined => /\+([^@]{1,100})@/.exec(text)?.[1];

/**
 * Every address in fields that list people, in lower case, without names. Only so much of all fields together is read.
 */
export function addressesIn(fields: readonly string[]): string[] {
  let left = maxUnitsOfField;
  return fields.flatMap((field) => {
    const part = field.slice(0, Math.max(0, left));
    left -= part.length + 1;
    return mailboxesOf(part).map(addressOf).filter(isAddress);
  });
}

/**
 * The people in a field such as `From`: `"Keller, Anna" <anna@example.com>, bert@example.com (Bert)`. Text in quotes
 * or brackets is a name and never an address, so that no sender can pose as another.
 */
export function peopleIn(field: string): Person[] {
  return mailboxesOf(field.slice(0, maxUnitsOfField)).flatMap((mailbox) => {
    const found = addressOf(mailbox);
    if (!isAddress(found)) return [];
    const name = mailbox.route === undefined ? mailbox.comments : mailbox.words;
    return [{ address: found, name: cleanName(name) }];
  });
}

const addressOf = ({ route, words }: RawMailbox): string => (route ?? words).trim().toLowerCase();

const cleanName = (name: string): string =>
  cutText(
    decodeWords(name.slice(0, maxUnitsOfName * unitsReadPerShown))
      .replaceAll(quotedAt, '@')
      .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
      .trim(),
    maxUnitsOfName,
  );

interface RawMailbox {
  /** Between `<` and `>`. */
  route: string | undefined;
  /** Everything else, without quotes; and what stood in brackets. */
  words: string;
  comments: string;
}

/**
 * Parts of a field, each read where the one before ended: what is quoted, a pair outside of quotes, a mark that has a
 * meaning, or anything else. What is not closed ends with the field. Nothing is looked at twice.
 */
const parts = /"((?:[^"\\]|\\.?)*)(?:"|$)|<([^>]*)(?:>|$)|([(),;:])|([^"<(),;:]+)/gsu;

function mailboxesOf(field: string): RawMailbox[] {
  const found: RawMailbox[] = [];
  let current = nobody();
  let depth = 0;
  for (const [, quoted, route, mark, words] of field.matchAll(parts)) {
    if (mark === '(') depth += 1;
    else if (mark === ')') depth = Math.max(0, depth - 1);
    else if (depth > 0) current.comments += quoted ?? route ?? mark ?? words;
    else if (mark === ',' || mark === ';') {
      found.push(current);
      current = nobody();
    } else if (mark === ':') current.words = '';
    else if (route !== undefined) current.route ??= route;
    else current.words += quoted?.replaceAll('\\', '').replaceAll('@', quotedAt) ?? words;
  }
  return [...found, current];
}

const nobody = (): RawMailbox => ({ route: undefined, words: '', comments: '' });
/** A quoted `@` makes no address: `"anna@example.com"` alone is a name. */
const quotedAt = '\uFF20';
