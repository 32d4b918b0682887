import { createHash } from 'node:crypto';
import type { MailForm } from '../mail-form.ts';
import { decodeWords } from './encoded-words.ts';
import { headersOf, type MailHeaders } from './headers.ts';

/** RFC 5322 allows a line of 998 characters. */
const maxIdUnits = 900;
const maxIds = 100;
const maxUnits = 32_000;

/** Names that programs give to the header, the standard one first. Gmail and Exchange keep a replaced id in theirs. */
const namesOfId = [
  ...['Message-Id', 'MessageId', 'X-Message-Id', 'X-MessageId', 'X-Original-Message-Id'],
  ...['X-Google-Original-Message-ID', 'X-Microsoft-Original-Message-ID'],
];
const namesOfReply = ['In-Reply-To', 'InReplyTo', 'X-In-Reply-To', 'In-Reply-To-Id', 'Original-Message-Id'];
const namesOfReferences = ['References', 'Reference', 'X-References', 'X-Reference'];

/** Some programs fold a line within the brackets, so blanks are left out of an id. */
const bracketed = /<([^<>]{1,1000})>/g;

/**
 * The Message-Ids in a text, in order: between angle brackets, or else every word with an `@`, or the only word there
 * is. Some programs encode the brackets or add comments.
 */
export function messageIdsIn(value: string | undefined): string[] {
  // The newest ones are at the end.
  const written = decodeWords((value ?? '').slice(-maxUnits))
    .replace(/&lt;/gi, '<')
    .replace(/&gt;/gi, '>');
  const outside = withoutComments(written);
  const ids = idsBetweenBrackets(outside);
  if (ids.length > 0) return ids;
  const inComments = idsBetweenBrackets(written);
  if (inComments.length > 0) return inComments;
  const words = outside.split(/[\s,;<>"]+/).filter((word) => word !== '');
  const named = words.filter((word) => /^[^@]+@[^@]+$/.test(word));
  return unique(named.length > 0 ? named : words.length === 1 ? words : []);
}

/** All ids between angle brackets in a long text, such as a report. */
export const bracketedIdsIn = (text: string): string[] => idsBetweenBrackets(text);

const idsBetweenBrackets = (text: string): string[] =>
  unique([...text.matchAll(bracketed)].map(([, id = '']) => id));

/** An id holds nothing that could end a header. A mailto address or a name in quotes is none. */
function unique(ids: readonly string[]): string[] {
  const cleaned = ids.map((id) => id.replace(/\s+/g, '').replace(/^"(.*)"$/, '$1'));
  return [
    ...new Set(cleaned.filter((id) => id !== '' && id.length <= maxIdUnits && !/\p{C}/u.test(id))),
  ].slice(-maxIds);
}

function withoutComments(text: string): string {
  let depth = 0;
  let kept = '';
  for (const [part] of text.matchAll(/[()<>]|[^()<>]+/g)) {
    if (part === '(') depth += 1;
    else if (part === ')') depth = Math.max(0, depth - 1);
    else if (depth === 0) kept += part;
  }
  return depth === 0 ? kept : text;
}

const firstOf = (headers: MailHeaders, names: readonly string[]): string | undefined =>
  names.flatMap((name) => headersOf(headers, name).flatMap(messageIdsIn))[0];

/** The id of a mail, without angle brackets. */
export const messageIdOf = (headers: MailHeaders): string | undefined => firstOf(headers, namesOfId);

/** The mails that a mail answers: the last header wins where several of one name are posted. */
export function answeredIdsOf(headers: MailHeaders): { inReplyTo: string | null; references: string[] } {
  const references = namesOfReferences.flatMap((name) => headersOf(headers, name));
  const [inReplyTo, ...others] = namesOfReply.flatMap((name) =>
    headersOf(headers, name).flatMap(messageIdsIn),
  );
  // The other ids of `In-Reply-To` are earlier than `References`, which is in order.
  return {
    inReplyTo: inReplyTo ?? null,
    references: [...new Set([...others, ...messageIdsIn(references.join(' '))])].slice(-maxIds),
  };
}

/** Outlook's conversation: of the bytes of `Thread-Index`, the first 22 stay the same in every answer. */
export function threadIndexOf(headers: MailHeaders): string | null {
  const [written = ''] = ['Thread-Index', 'X-Thread-Index'].flatMap((name) => headersOf(headers, name));
  const bytes = Buffer.from(written.slice(0, 2000), 'base64');
  return bytes.length < 22 ? null : bytes.subarray(0, 22).toString('hex');
}

const dayMs = 24 * 3600_000;
const domain = 'without-message-id.invalid';

/**
 * A mail without an id is known by its sender, `Date`, subject and body for 24 hours. `windows` are its ids of today
 * and of yesterday: one of them is stored, so that the same words may come again later.
 */
export function idsWithoutHeader(
  form: MailForm,
  known: { sender: string; date: string; subject: string },
  nowMs: number,
): { identity: string; windows: [today: string, yesterday: string] } {
  const body = ['body-plain', 'body-html', 'body-calendar'].map((name) => form.all(name));
  const identity = createHash('sha256')
    .update(JSON.stringify([known, body]))
    .digest('hex')
    .slice(0, 40);
  const today = Math.floor(nowMs / dayMs);
  return {
    identity,
    windows: [`${identity}.${today}@${domain}`, `${identity}.${today - 1}@${domain}`],
  };
}
