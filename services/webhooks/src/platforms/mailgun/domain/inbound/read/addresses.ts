import { normalizeDomain } from '@botyard/shared/mail/domains';
import { cutText } from '../../../../../text/domain/clean-text.ts';
import { decodeWords } from './encoded-words.ts';

export interface Person {
  /** In lower case. */
  address: string;
  /** Empty if the mail has none. */
  name: string;
}

const maxUnitsOfName = 200;
/** Encoded words take several units for each visible one. */
const unitsReadPerShown = 16;
const maxUnitsOfField = 16_000;
/** Excludes quoted local parts and numeric hosts: they are not in use, and can hide other addresses. */
const address = /^[^\s@<>"(),:;[\]\\\p{C}]{1,64}@[\p{L}\p{N}](?:[\p{L}\p{N}.-]{0,251}[\p{L}\p{N}])?$/u;

/** Whether the text is an address to which mail can be sent, in the form in which addresses are stored. */
export const isAddress = (text: string): boolean =>
  text.length <= 254 && address.test(text) && !text.includes('..');

/** `anna+token@x` as `anna@x`. */
export const withoutPlus = (text: string): string => text.replace(/\+[^@]*@/, '@');

/** The part behind the `+`, if any. */
export const plusOf = (text: string): string | undefined => /\+([^@]{1,100})@/.exec(text)?.[1];

/** Every address in fields that list people, in lower case, without names. The total length that is read is limited. */
export function addressesIn(fields: readonly string[]): string[] {
  let left = maxUnitsOfField;
  return fields.flatMap((field) => {
    const part = field.slice(0, Math.max(0, left));
    left -= part.length + 1;
    return mailboxesOf(part).map(addressOf).filter(isAddress);
  });
}

/**
 * The people in a field such as `From`: `"Keller, Anna" <anna@example.com>, bert@example.com (Bert)`. Text in quotes or
 * brackets is a name and never an address, so that no sender can impersonate another.
 */
export function peopleIn(field: string): Person[] {
  return mailboxesOf(field.slice(0, maxUnitsOfField)).flatMap((mailbox) => {
    const address = addressOf(mailbox);
    if (!isAddress(address)) return [];
    const name = mailbox.route === undefined ? mailbox.comments : mailbox.words;
    return [{ address, name: cleanName(name) }];
  });
}

/** The domain in ASCII, the form in which grants and links name it. */
function addressOf({ route, words }: RawMailbox): string {
  const written = (route ?? words).trim().toLowerCase();
  if (!/[^\x21-\x7e]/.test(written)) return written;
  const at = written.lastIndexOf('@') + 1;
  return written.slice(0, at) + (normalizeDomain(written.slice(at)) ?? written.slice(at));
}

const cleanName = (name: string): string =>
  cutText(
    decodeWords(name.slice(0, maxUnitsOfName * unitsReadPerShown))
      .replaceAll(quotedAt, '@')
      .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
      .trim(),
    maxUnitsOfName,
  );

interface RawMailbox {
  /** The text between `<` and `>`. */
  route: string | undefined;
  /** All other text, without quotes, and the text in brackets. */
  words: string;
  comments: string;
}

/**
 * The parts of a field, in order: a quoted text, a pair of angle brackets outside quotes, a significant character, or
 * any other text. An unclosed part ends with the field. No character is read twice.
 */
const parts = /"((?:[^"\\]|\\.?)*)(?:"|$)|<([^>]*)(?:>|$)|([(),;:])|([^"<(),;:]+)/gsu;

function mailboxesOf(field: string): RawMailbox[] {
  const mailboxes: RawMailbox[] = [];
  let current = nobody();
  let depth = 0;
  for (const [, quoted, route, mark, words] of field.matchAll(parts)) {
    if (mark === '(') depth += 1;
    else if (mark === ')') depth = Math.max(0, depth - 1);
    else if (depth > 0) current.comments += quoted ?? route ?? mark ?? words;
    else if (mark === ',' || mark === ';') {
      mailboxes.push(current);
      current = nobody();
    } else if (mark === ':') current.words = '';
    else if (route !== undefined) current.route ??= route;
    else current.words += quoted?.replaceAll('\\', '').replaceAll('@', quotedAt) ?? words;
  }
  return [...mailboxes, current];
}

const nobody = (): RawMailbox => ({ route: undefined, words: '', comments: '' });
/** Replaces a quoted `@`, which makes no address: `"anna@example.com"` alone is a name. */
const quotedAt = '\uFF20';
