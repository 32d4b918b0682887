import { describe, expect, test } from 'vitest';
import { documentTypeOf, mediaTypeOf } from '../../../../../src/files/domain/media-type.ts';
import { mailForm, tripleOf } from '../../../../../src/platforms/mailgun/domain/inbound/mail-form.ts';
import { readMail } from '../../../../../src/platforms/mailgun/domain/inbound/read/read-mail.ts';
import { collectFields } from '../../../../collect-fields.ts';

/** The decision about something that a delivery carries: it is read, or left out for this reason. */
type Decision = { read: string } | { leftOut: string };

/** The fields that Mailgun's documents name for inbound routes and for stored messages, in 2026. */
const fields: Record<string, Decision> = {
  recipient: { read: 'the mailbox, and the plus-address of the thread' },
  sender: { read: 'the envelope: reports, and proof of the sender' },
  from: { read: 'the author, if the header can not be read' },
  subject: { read: 'the subject' },
  'body-plain': { read: 'the text' },
  'stripped-text': { read: 'the text without a quotation' },
  'stripped-signature': { read: 'whether stripped text lost a sentence' },
  'body-html': { read: 'the text of a mail whose plain part is none, and addresses of links' },
  'body-calendar': { read: 'an invitation, and whether it is an answer to one' },
  'content-id-map': { read: 'which files the HTML shows' },
  'message-headers': { read: 'the headers, in order' },
  timestamp: { read: 'the signature' },
  token: { read: 'the signature' },
  signature: { read: 'the signature' },
  'parent-signature': { read: 'the signature of the account above' },
  'stripped-html': { leftOut: 'its text is in stripped-text, and the HTML in body-html' },
  'attachment-count': { leftOut: 'the files are counted' },
  attachments: { leftOut: 'of routes that store: the route has to forward' },
  'message-url': { leftOut: 'of routes that store: the route has to forward' },
  'body-mime': { leftOut: 'of routes whose address ends in mime: this one does not' },
  domain: { leftOut: 'the recipient has it' },
  'event-timestamps': { leftOut: 'of the account' },
};

/** Headers that say something about a mail. */
const headers: Record<string, Decision> = {
  'Message-Id': { read: 'repetitions and threads' },
  'In-Reply-To': { read: 'the thread' },
  References: { read: 'the thread' },
  'Thread-Index': { read: 'the thread' },
  'Thread-Topic': { read: 'the thread' },
  From: { read: 'the author' },
  To: { read: 'the plus-address' },
  Cc: { read: 'the mailbox, if nothing else names it' },
  'Delivered-To': { read: 'the plus-address' },
  Subject: { read: 'the subject' },
  Date: { read: 'when it was sent' },
  'Content-Language': { read: 'the language of the answer' },
  'Content-Type': { read: 'reports and calendars' },
  'Auto-Submitted': { read: 'whether a program wrote it' },
  'Return-Path': { read: 'whether a program wrote it' },
  'List-Id': { read: 'whether it came through a list' },
  'X-Original-Sender': { read: 'the author behind a list' },
  'X-Mailgun-Spf': { read: 'proof of the sender' },
  'X-Mailgun-Dkim-Check-Result': { read: 'proof of the sender' },
  'Authentication-Results': { read: 'proof of the sender' },
  Received: { read: 'where the headers of the mailer end' },
  'DKIM-Signature': { read: 'proof of the sender' },
  'Reply-To': {
    leftOut: 'answers go to the author, whose grants count; it names the author behind a list only',
  },
  Sender: { leftOut: 'the author is in From' },
  Bcc: { leftOut: 'the envelope names the recipient' },
  Importance: { leftOut: 'every mail is answered at once' },
  'X-Priority': { leftOut: 'every mail is answered at once' },
  'X-Mailgun-Sflag': { leftOut: 'the spam filter of the mailer decides before the route' },
  'X-Mailgun-Sscore': { leftOut: 'the spam filter of the mailer decides before the route' },
  'X-Mailgun-Variables': { leftOut: 'of mails that were sent' },
  'Disposition-Notification-To': { leftOut: 'no receipts are sent' },
  'Return-Receipt-To': { leftOut: 'no receipts are sent' },
  Keywords: { leftOut: 'no meaning for an answer' },
  Comments: { leftOut: 'no meaning for an answer' },
};

/** Kinds of parts, which arrive as files. All are kept for staff, named to the agent, and read where they have a text. */
const parts: Record<string, { bytes: string | Buffer; type: string; isRead: boolean }> = {
  'note.txt': { bytes: 'words', type: 'text/plain', isRead: true },
  'page.html': { bytes: '<p>words</p>', type: 'text/html', isRead: true },
  'table.csv': { bytes: 'a,b', type: 'text/csv', isRead: true },
  'text.md': { bytes: '# a', type: 'text/markdown', isRead: true },
  'scan.pdf': { bytes: '%PDF-1.7\n', type: 'application/pdf', isRead: true },
  'invite.ics': { bytes: 'BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n', type: 'text/calendar', isRead: false },
  'forwarded.eml': { bytes: 'Subject: a\r\n\r\nwords', type: 'text/plain', isRead: true },
  'signature.asc': { bytes: 'a signature', type: 'text/plain', isRead: true },
  'card.vcf': { bytes: 'BEGIN:VCARD\r\nEND:VCARD\r\n', type: 'text/vcard', isRead: false },
  'winmail.dat': {
    bytes: Buffer.from([0x78, 0x9f, 0x3e, 0x22, 0]),
    type: 'application/octet-stream',
    isRead: false,
  },
  'smime.p7s': { bytes: Buffer.from([0x30, 0x80, 0, 0]), type: 'application/octet-stream', isRead: false },
  'photo.png': {
    bytes: Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
    type: 'image/png',
    isRead: false,
  },
};

const plain = {
  'body-plain': 'Thanks.\n\nAnna',
  from: 'Anna <anna@x.example>',
  recipient: 'bot@x.example',
  subject: 'a',
  sender: 'anna@x.example',
};

/** Values that make a difference, where a field is read. */
const telling: Record<string, [with_: Record<string, string>, without: Record<string, string>]> = {
  'stripped-text': [
    { 'body-plain': 'Hi\n\nAt 1.1.2026 S:\n\nb', 'stripped-text': 'Hi' },
    { 'body-plain': 'Hi\n\nAt 1.1.2026 S:\n\nb' },
  ],
  'stripped-signature': [
    { 'stripped-text': 'Thanks.', 'stripped-signature': 'Anna' },
    { 'stripped-text': 'Thanks.' },
  ],
  'body-html': [{ 'body-html': '<p>Another text</p>' }, {}],
  'body-calendar': [{ 'body-calendar': 'METHOD:REPLY\r\n' }, {}],
  'content-id-map': [{ 'content-id-map': '{"<a>":"attachment-1"}' }, {}],
  'message-headers': [{ 'message-headers': '[["Message-Id","<a@x>"]]' }, {}],
  recipient: [{ recipient: 'bot+abc@x.example' }, {}],
};
const ofSignature = new Set(['timestamp', 'token', 'signature', 'parent-signature']);

async function outcomeOf(form: Record<string, string>): Promise<unknown> {
  const read = mailForm(collectFields({ ...plain, ...form }));
  const {
    headers: _asPosted,
    sentAt: _now,
    withoutId: _same,
    messageId: _made,
    ...mail
  } = await readMail(read, 0);
  const triple = tripleOf(mailForm(collectFields({ timestamp: '1', token: 't', signature: 's', ...form })));
  return { ...mail, inlineFields: [...mail.inlineFields], triple, id: form['message-headers'] ? _made : '' };
}

describe('every field that the mailer can post has a decision', () => {
  test.each(Object.entries(fields))('%s', async (name, decision) => {
    const [changed, usual] = telling[name] ?? [{ [name]: 'changed' }, {}];
    const isTold = JSON.stringify(await outcomeOf(changed)) !== JSON.stringify(await outcomeOf(usual));
    expect(isTold).toBe('read' in decision);
    if (ofSignature.has(name)) expect(decision).toMatchObject({ read: expect.stringContaining('signature') });
  });
});

const values: Record<string, string> = {
  To: 'bot+abc@x.example',
  'Delivered-To': 'bot+abc@x.example',
  'Content-Language': 'de',
  'Thread-Index': Buffer.alloc(22, 1).toString('base64'),
  From: 'Ben <ben@x.example>',
  'X-Original-Sender': 'ben@x.example',
  'X-Mailgun-Spf': 'Fail',
  'X-Mailgun-Dkim-Check-Result': 'Fail',
  'Authentication-Results': 'x; spf=fail',
  'Content-Type': 'text/calendar; method=REPLY',
};
/** Headers that count together with others, or when a mail is judged: the tests of those show it. */
const elsewhere = new Set([
  ...['Message-Id', 'Date', 'Subject', 'Cc', 'Auto-Submitted', 'Return-Path', 'Received', 'DKIM-Signature'],
  ...['X-Original-Sender', 'Authentication-Results'],
]);

describe('every header that says something about a mail has a decision', () => {
  test.each(Object.entries(headers).filter(([name]) => !elsewhere.has(name)))(
    '%s',
    async (name, decision) => {
      const with_ = { [name]: values[name] ?? '<changed@x.example>' };
      const isTold = JSON.stringify(await outcomeOf(with_)) !== JSON.stringify(await outcomeOf({}));
      expect(isTold).toBe('read' in decision);
    },
  );
});

describe('every kind of part has a decision', () => {
  test.each(Object.entries(parts))('%s', async (name, { bytes, type, isRead }) => {
    const mediaType = await mediaTypeOf(Buffer.from(bytes), name);
    expect(mediaType).toBe(type);
    expect(documentTypeOf(mediaType) !== undefined).toBe(isRead);
  });
});
