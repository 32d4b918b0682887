import { createHash } from 'node:crypto';
import { canonicalLanguage } from '@botyard/contracts/http/bot-words';
import { parseForeignJson } from '@botyard/shared/json/parse-json';
import { type MailForm, mailForm, type PostedFields } from '../mail-form.ts';
import { addressesIn, isAddress, type Person, peopleIn, plusOf } from './addresses.ts';
import { type Calendar, readCalendar } from './calendar.ts';
import { headerOf, headersOf, type MailHeaders, oneLine, readHeaders } from './headers.ts';
import { authorBehindList, type MailList, readList } from './list-of-mail.ts';
import { type MailText, readMailText } from './mail-text.ts';
import { answeredIdsOf, idsWithoutHeader, messageIdOf, threadIndexOf } from './message-ids.ts';
import { readSenderProof, type SenderProof } from './sender-proof.ts';

/** The part of a verified delivery that is read. */
export interface PostedMail {
  fields: PostedFields;
  files: readonly { name: string; sha256: string }[];
}

/** A delivery as a mail, even if the mail is malformed. */
export interface ReadMail extends MailText {
  /** Without angle brackets. If the mail has none, one is made from what it is. */
  messageId: string;
  /** For a mail without an id: what it is known by, and the id that it got if it came yesterday. */
  withoutId: { identity: string; yesterday: string } | null;
  inReplyTo: string | null;
  /** Message-Ids of earlier mails, oldest first. */
  references: string[];
  /** Outlook's number of the conversation. */
  threadIndex: string | null;
  /** The author that the mail claims. It grants nothing on its own. `null` if no address can be read. */
  from: Person | null;
  /** The mailer's proof of the author. */
  senderProof: SenderProof;
  /** The mailing list or group through which it came. */
  list: MailList & { isProven: boolean };
  calendarMethod: Calendar['method'];
  /** Sender of the envelope; empty for a bounce, `null` when the mailer doesn't state it. */
  envelopeSender: string | null;
  recipient: string;
  plusTokens: string[];
  /** The language that its sender declares. */
  language: string | null;
  subject: string;
  /** Outlook's subject of the whole conversation; empty if there is none. */
  topic: string;
  sentAt: string;
  headers: MailHeaders;
  /** Files that the HTML shows in the text, by the names of their fields. */
  inlineFields: ReadonlySet<string>;
}

const maxUnitsOfSubject = 500;
const maxUnitsOfRecipient = 320;
const maxUnitsOfDate = 100;

/** Reads a delivery, and its digest, which identifies repetitions. */
export async function readPosted({ fields, files }: PostedMail): Promise<{ mail: ReadMail; digest: string }> {
  const form = mailForm(fields);
  return { mail: await readMail(form), digest: digestOf(form, files) };
}

export async function readMail(form: MailForm, nowMs = Date.now()): Promise<ReadMail> {
  const headers = readHeaders(form);
  const envelopeSender = readEnvelopeSender(form, headers);
  const calendar = readCalendar(form.one('body-calendar'), headerOf(headers, 'Content-Type'));
  const subject = oneLine(form.one('subject') ?? headerOf(headers, 'Subject') ?? '', maxUnitsOfSubject);
  const sender = readSender(form, headers, envelopeSender);
  return {
    ...(await readMailText(form, calendar.words)),
    ...readIds(form, headers, { sender: sender.from?.address ?? '', subject, nowMs }),
    ...answeredIdsOf(headers),
    threadIndex: threadIndexOf(headers),
    ...sender,
    calendarMethod: calendar.method,
    envelopeSender,
    recipient: oneLine(form.all('recipient')[0] ?? headerOf(headers, 'To') ?? '', maxUnitsOfRecipient),
    plusTokens: plusTokensIn([
      ...form.all('recipient'),
      ...headersOf(headers, 'To'),
      ...headersOf(headers, 'Delivered-To'),
    ]),
    language: readLanguage(headers),
    subject,
    topic: oneLine(headerOf(headers, 'Thread-Topic') ?? '', maxUnitsOfSubject),
    sentAt: momentOf(headerOf(headers, 'Date'), nowMs),
    headers,
    inlineFields: readInlineFields(form.one('content-id-map')),
  };
}

/** The id of a mail, or the one that stands for a missing one. */
function readIds(
  form: MailForm,
  headers: MailHeaders,
  { nowMs, ...known }: { sender: string; subject: string; nowMs: number },
): Pick<ReadMail, 'messageId' | 'withoutId'> {
  const messageId = messageIdOf(headers);
  if (messageId !== undefined) return { messageId, withoutId: null };
  const date = (headerOf(headers, 'Date') ?? '').slice(0, maxUnitsOfDate).trim();
  const { identity, windows } = idsWithoutHeader(form, { ...known, date }, nowMs);
  return { messageId: windows[0], withoutId: { identity, yesterday: windows[1] } };
}

/** The author of the mail, also behind a list that sent it in its own name. */
function readSender(
  form: MailForm,
  headers: MailHeaders,
  envelopeSender: string | null,
): Pick<ReadMail, 'from' | 'senderProof' | 'list'> {
  const from = readFrom(form, headers, envelopeSender);
  const senderProof = readSenderProof(form, from);
  const list = readList(headers);
  const author = authorBehindList(headers, list, from);
  const isProven = list.names.some(
    (name) => isAddress(name) && readSenderProof(form, { address: name, name: '' }).state !== 'failed',
  );
  // The mailer's results are about the list: they say nothing about the person that it names.
  const proofOfAuthor =
    senderProof.state === 'failed' ? senderProof : { state: 'unknown' as const, results: '' };
  return author
    ? { from: author, senderProof: proofOfAuthor, list: { ...list, isProven } }
    : { from, senderProof, list: { ...list, isProven } };
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
  const envelopeSender =
    form.one('sender') ?? headerOf(headers, 'X-Envelope-From') ?? headerOf(headers, 'Return-Path');
  return envelopeSender === undefined
    ? null
    : envelopeSender
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
  const headerTime = Date.parse((date ?? '').slice(0, maxUnitsOfDate));
  const isPossible = headerTime > 0 && headerTime <= nowMs + 24 * 3600_000;
  return new Date(isPossible ? headerTime : nowMs).toISOString();
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
