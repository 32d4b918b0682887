import { createHash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import type { MailForm } from '../mail-form.ts';
import { isAddress, type Person, peopleIn, plusOf } from './addresses.ts';
import { type MailHeaders, messageIdsIn, oneLine, readHeaders } from './headers.ts';
import { type MailText, readMailText } from './mail-text.ts';

/** A delivery as a mail, whatever is wrong with it. */
export interface ReadMail extends MailText {
  /** Without angle brackets; made up where the mail has none, and then never the same twice. */
  messageId: string;
  inReplyTo: string | null;
  /** Of what it answers, the oldest first. */
  references: string[];
  /** Who wrote it, in their own words: nothing is granted for it. `null` where no address can be made out. */
  from: Person | null;
  /** Where the mailer got it from; empty of a bounce, `null` when it isn't told. */
  envelopeSender: string | null;
  recipient: string;
  plusTokens: string[];
  subject: string;
  sentAt: string;
  headers: MailHeaders;
  /** Files that the HTML shows in the text, by the names of their fields. */
  inlineFields: ReadonlySet<string>;
}

const mostUnitsOfSubject = 500;
const mostUnitsOfRecipient = 320;

export async function readMail(form: MailForm, nowMs = Date.now()): Promise<ReadMail> {
  const headers = readHeaders(form);
  const references = messageIdsIn(headers.all('References').join(' '));
  const [inReplyTo = null] = messageIdsIn(headers.one('In-Reply-To'));
  const recipients = [...form.all('recipient'), ...headers.all('To'), ...headers.all('Delivered-To')];
  const envelopeSender = readEnvelopeSender(form, headers);
  return {
    ...(await readMailText(form)),
    messageId: messageIdsIn(headers.one('Message-Id'))[0] ?? `${uuidv7()}@without-message-id.invalid`,
    inReplyTo,
    references,
    from: readFrom(form, headers, envelopeSender),
    envelopeSender,
    recipient: oneLine(form.all('recipient')[0] ?? headers.one('To') ?? '', mostUnitsOfRecipient),
    plusTokens: plusTokensIn(recipients),
    subject: oneLine(form.one('subject') ?? headers.one('Subject') ?? '', mostUnitsOfSubject),
    sentAt: momentOf(headers.one('Date'), nowMs),
    headers,
    inlineFields: readInlineFields(form.one('content-id-map')),
  };
}

function readFrom(form: MailForm, headers: MailHeaders, envelopeSender: string | null): Person | null {
  const written = [...headers.all('From'), ...form.all('from')].flatMap(peopleIn);
  if (written[0]) return written[0];
  return envelopeSender && isAddress(envelopeSender) ? { address: envelopeSender, name: '' } : null;
}

function readEnvelopeSender(form: MailForm, headers: MailHeaders): string | null {
  const told = form.one('sender') ?? headers.one('X-Envelope-From') ?? headers.one('Return-Path');
  return told === undefined
    ? null
    : told
        .replace(/[<>\s]/g, '')
        .toLowerCase()
        .slice(0, 254);
}

const plusTokensIn = (recipients: readonly string[]): string[] => {
  const tokens = recipients.flatMap(peopleIn).map((person) => plusOf(person.address));
  return [...new Set(tokens.filter((token) => token !== undefined))].slice(0, 10);
};

/** A clock may say anything: what can't be is replaced by now. */
function momentOf(date: string | undefined, nowMs: number): string {
  const told = Date.parse(date ?? '');
  const isPossible = told > 0 && told <= nowMs + 24 * 3600_000;
  return new Date(isPossible ? told : nowMs).toISOString();
}

function readInlineFields(json: string | undefined): Set<string> {
  try {
    const map: unknown = JSON.parse(json ?? '{}');
    const fields = typeof map === 'object' && map !== null ? Object.values(map) : [];
    return new Set(fields.filter((field) => typeof field === 'string').slice(0, 100));
  } catch {
    return new Set();
  }
}

/** What makes two deliveries the same: everything of them that is read, without what a repetition changes. */
export function digestOf(form: MailForm, files: readonly { name: string; sha256: string }[]): string {
  const headers = readHeaders(form);
  const read = [
    ...['Message-Id', 'From', 'Date', 'In-Reply-To', 'References', 'Auto-Submitted'].map((name) =>
      headers.all(name),
    ),
    // Not whom it went to: one mail to two bots is one mail.
    ...['sender', 'from', 'subject', 'body-plain', 'body-html', 'stripped-text'].map((name) =>
      form.all(name),
    ),
    files.map(({ name, sha256 }) => [name, sha256]),
  ];
  return createHash('sha256').update(JSON.stringify(read)).digest('hex');
}
