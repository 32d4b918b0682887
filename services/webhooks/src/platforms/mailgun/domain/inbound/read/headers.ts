import { tryParseForeignJson } from '@botyard/shared/json/parse-json';
import { cutText } from '../../../../../text/domain/clean-text.ts';
import type { MailForm } from '../mail-form.ts';
import { decodeWords } from './encoded-words.ts';

/**
 * A mail's headers by lower-case names, in the order of the mail. Values are as received, except for characters that
 * Postgres can't store.
 */
export type MailHeaders = ReadonlyMap<string, readonly string[]>;

const maxHeaders = 1000;
const maxValuesOfName = 20;
const maxNameUnits = 200;
const maxValueUnits = 16_000;
/** The limit for all values together. Headers beyond it have their names only. */
const maxUnits = 256 * 1024;
/** The mailer's own fields. `From` is a header of the mail, `from` is the mailer's. */
const ownFields = new Set([
  ...['from', 'sender', 'subject', 'recipient', 'timestamp', 'token', 'signature', 'parent-signature'],
  ...['body-plain', 'body-html', 'stripped-text', 'stripped-signature', 'message-headers', 'content-id-map'],
  ...['body-calendar', 'attachment-count', 'attachments'],
]);

/**
 * Reads `message-headers`, which contains repeated headers in order. Headers that it lacks are read from the fields of
 * the same name.
 */
export function readHeaders(form: MailForm): MailHeaders {
  const listed = new Collected();
  for (const [name, value] of listedHeaders(form.one('message-headers'))) listed.add(name, value);
  const fields = new Collected();
  for (const name of form.names())
    if (!ownFields.has(name) && !listed.found.has(name.toLowerCase()))
      for (const value of form.all(name)) fields.add(name, value);
  return new Map([...listed.found, ...fields.found]);
}

/** Every value of a header, in any case of the name. */
export const headersOf = (headers: MailHeaders, name: string): readonly string[] =>
  headers.get(name.toLowerCase()) ?? [];

/** The first value of a header. */
export const headerOf = (headers: MailHeaders, name: string): string | undefined =>
  headersOf(headers, name)[0];

class Collected {
  readonly found = new Map<string, string[]>();
  #left = maxUnits;
  #count = 0;

  add(name: string, value: string): void {
    if (this.#count >= maxHeaders || name.length > maxNameUnits) return;
    this.#count += 1;
    const key = name.toLowerCase();
    const values = this.found.get(key) ?? [];
    if (values.length >= maxValuesOfName) return;
    const cut = cutText(value, Math.min(maxValueUnits, this.#left));
    this.#left -= cut.length;
    values.push(cut);
    this.found.set(key, values);
  }
}

/** All of a mail's headers in order, as the mailer lists them; empty if the list is missing or can't be read. */
export function listedHeaders(json: string | undefined): [string, string][] {
  const list = json === undefined ? undefined : tryParseForeignJson(json);
  if (!Array.isArray(list)) return [];
  return list.flatMap((header: unknown): [string, string][] => {
    const [name, value] = Array.isArray(header) ? header : [];
    return typeof name === 'string' && typeof value === 'string' ? [[name, value]] : [];
  });
}

/** An encoded word takes several units for each visible character. */
const unitsReadPerShown = 16;

/** A header's text in one line, so that no line break from a sender gets into a header or a prompt. */
export const oneLine = (value: string, maxUnits: number): string =>
  cutText(
    decodeWords(value.slice(0, maxUnits * unitsReadPerShown))
      .replace(/[\p{Cc}\u2028\u2029\s]+/gu, ' ')
      .trim(),
    maxUnits,
  );
