import { z } from 'zod';
import { cutText } from '../../../messenger/clean-text.ts';
import type { MailForm } from '../mail-form.ts';
import { decodeWords } from './encoded-words.ts';

/** A mail's headers, by names in whatever case. Values are as they came, but without what Postgres can't keep. */
export interface MailHeaders {
  /** The first one's value. */
  one(name: string): string | undefined;
  all(name: string): string[];
  names(): string[];
}

const mostHeaders = 1000;
const mostUnitsOfValue = 16_000;
/** Of the mailer: beside `from` there is `From`, which is the mail's. */
const ownFields = new Set(['from', 'sender', 'subject', 'recipient', 'timestamp', 'token', 'signature']);
const Listed = z.array(z.unknown()).max(100_000);
const Header = z.tuple([z.string().max(200), z.string()]).rest(z.unknown());

/** From `message-headers`, which keeps what was sent twice and in which order; what is not there, from the fields of that name. */
export function readHeaders(form: MailForm): MailHeaders {
  const listed = byName(listedHeaders(form.one('message-headers')));
  const fields = byName(form.entries().filter(([name]) => !ownFields.has(name)));
  const all = (name: string) => listed.get(name.toLowerCase()) ?? fields.get(name.toLowerCase()) ?? [];
  return { all, one: (name) => all(name)[0], names: () => [...listed.keys(), ...fields.keys()] };
}

function listedHeaders(json: string | undefined): [string, string][] {
  if (json === undefined) return [];
  try {
    return Listed.parse(JSON.parse(json)).flatMap((header) => {
      const { data } = Header.safeParse(header);
      return data ? [[data[0], data[1]] as [string, string]] : [];
    });
  } catch {
    return [];
  }
}

function byName(headers: readonly [string, string][]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [name, value] of headers.slice(0, mostHeaders)) {
    const key = name.toLowerCase();
    found.set(key, [...(found.get(key) ?? []), cutText(value, mostUnitsOfValue)]);
  }
  return found;
}

/** A header's text on one line: no line break of a sender's comes into a header or a prompt of ours. */
export const oneLine = (value: string, mostUnits: number): string =>
  cutText(
    decodeWords(value)
      .replace(/[\p{Cc}\u2028\u2029\s]+/gu, ' ')
      .trim(),
    mostUnits,
  );

/** Without angle brackets; nothing that could end a header, and as short as mail allows. */
const messageId = /<([^\s<>\p{Cc}]{1,250})>/gu;
const mostIds = 100;

/** The Message-Ids in a header, in order. */
export function messageIdsIn(value: string | undefined): string[] {
  const found = [...(value ?? '').matchAll(messageId)].map(([, id = '']) => id);
  return [...new Set(found)].slice(-mostIds);
}
