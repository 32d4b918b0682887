import { createHash } from 'node:crypto';
import { canonicalLanguage } from '@botyard/contracts/http/bot-words';
import { parseForeignJson } from '@botyard/shared/json/parse-json';
import { v7 as uuidv7 } from 'uuid';
import { type MailForm, mailForm, type PostedFields } from '../mail-form.ts';
import { addressesIn, isAddress, type Person, peopleIn, plusOf } from './addresses.ts';
import { headerOf, headersOf, type MailHeaders, messageIdsIn, oneLine, readHeaders } from './headers.ts';
import { type MailText, readMailText } from './mail-text.ts';
import { readSenderProof, type SenderProof } from './sender-proof.ts';

/** The part of a verified delivery that is read. */
export interface PostedMail {
  fields: PostedFields;
  files: readonly { name: string; sha256: string }[];
}

/** A delivery as a mail, even if the mail is malformed. */
export interface ReadMail extends MailText {
  /** Without angle brackets. If the mail has none, a unique one is generated. */
  messageId: string;
  inReplyTo: string | null;
  /** Message-Ids of earlier mails, oldest first. */
  references: string[];
  /** The author that the mail claims. It grants nothing on its own. `null` if no address can be read. */
  from: Person | null;
  /** The mailer's proof of the author. */
  senderProof: SenderProof;
  /** Sender of the envelope; empty for a bounce, `null` when the mailer doesn't state it. */
  envelopeSender: string | null;
  recipient: string;
  plusTokens: string[];
  /** The language that its sender declares. */
  language: string | null;
  subject: string;
  sentAt: string;
  headers: MailHeaders;
  /** Files that the HTML shows in the text, by the names of their fields. */
  inlineFields: ReadonlySet<string>;
}

const maxUnitsOfSubject = 500;
const maxUnitsOfRecipient = 320;
const maxUnitsOfReferences = 32_000;
const maxUnitsOfDate = 100;

/** Reads a delivery, and its digest, which identifies repetitions. */
export async function readPosted({ fields, files }: PostedMail): Promise<{ mail: ReadMail; digest: string }> {
  const form = mailForm(fields);
  return { mail: await readMail(form), digest: digestOf(form, files) };
}

export async function readMail(form: MailForm, nowMs = Date.now()): Promise<ReadMail> {
  const headers = readHeaders(form);
  // The newest ones are at the end.
  const references = messageIdsIn(headersOf(headers, 'References').join(' ').slice(-maxUnitsOfReferences));
  const [inReplyTo = null] = messageIdsIn(headerOf(headers, 'In-Reply-To'));
  const recipients = [
    ...form.all('recipient'),
    ...headersOf(headers, 'To'),
    ...headersOf(headers, 'Delivered-To'),
  ];
  const envelopeSender = readEnvelopeSender(form, headers);
  const from = readFrom(form, headers, envelopeSender);
  return {
    ...(await readMailText(form)),
    messageId: messageIdsIn(headerOf(headers, 'Message-Id'))[0] ?? `${uuidv7()}@without-message-id.invalid`,
    inReplyTo,
    references,
    from,
    senderProof: readSenderProof(form, from),
    envelopeSender,
    recipient: oneLine(form.all('recipient')[0] ?? headerOf(headers, 'To') ?? '', maxUnitsOfRecipient),
    plusTokens: plusTokensIn(recipients),
    language: readLanguage(headers),
    subject: oneLine(form.one('subject') ?? headerOf(headers, 'Subject') ?? '', maxUnitsOfSubject),
    sentAt: momentOf(headerOf(headers, 'Date'), nowMs),
    headers,
    inlineFields: readInlineFields(form.one('content-id-map')),
  };
}

const maxUnitsOfLanguages = 200;

/** The first language in `Content-Language`. */
function readLanguage(headers: MailHeaders): string | null {
  const named = (headerOf(headers, 'Content-Language') ?? '').slice(0, maxUnitsOfLanguages).split(',');
  return named.map((tag) => canonicalLanguage(tag.trim())).find((tag) => tag !== undefined) ?? null;
}

function readFrom(form: MailForm, headers: MailHeaders, envelopeSender: string | null): Person | null {
  for (const field of [...headersOf(headers, 'From'), ...form.all('from')]) {
    const [written] = peopleIn(field);
    if (written) return written;
  }
  return envelopeSender && isAddress(envelopeSender) ? { address: envelopeSender, name: '' } : null;
}

function readEnvelopeSender(form: MailForm, headers: MailHeaders): string | null {
  const told = form.one('sender') ?? headerOf(headers, 'X-Envelope-From') ?? headerOf(headers, 'Return-Path');
  return told === undefined
    ? null
    : told
        .slice(0, 1000)
        .replace(/[<>\s]/g, '')
        .toLowerCase()
        .slice(0, 254);
}

const plusTokensIn = (recipients: readonly string[]): string[] => {
  const tokens = addressesIn(recipients).map(plusOf);
  return [...new Set(tokens.filter((token) => token !== undefined))].slice(0, 10);
};

/** A sender's clock may be wrong: an impossible time is replaced by the current one. */
function momentOf(date: string | undefined, nowMs: number): string {
  const told = Date.parse((date ?? '').slice(0, maxUnitsOfDate));
  const isPossible = told > 0 && told <= nowMs + 24 * 3600_000;
  return new Date(isPossible ? told : nowMs).toISOString();
}

function readInlineFields(json: string | undefined): Set<string> {
  try {
    const map: unknown = parseForeignJson(json ?? '{}');
    const fields = typeof map === 'object' && map !== null ? Object.values(map) : [];
    return new Set(fields.filter((field) => typeof field === 'string').slice(0, 100));
  } catch {
    return new Set();
  }
}

/** The identity of a delivery: everything that is read from it, except for what differs in a repetition. */
export function digestOf(form: MailForm, files: PostedMail['files']): string {
  const headers = readHeaders(form);
  const read = [
    ...['Message-Id', 'From', 'Date', 'In-Reply-To', 'References', 'Auto-Submitted'].map((name) =>
      headersOf(headers, name),
    ),
    // Without the recipient, so that one mail to two bots is the same mail.
    ...['sender', 'from', 'subject', 'body-plain', 'body-html', 'stripped-text'].map((name) =>
      form.all(name),
    ),
    files.map(({ name, sha256 }) => [name, sha256]),
  ];
  return createHash('sha256').update(JSON.stringify(read)).digest('hex');
}
