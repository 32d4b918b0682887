/** The fields of an inbound route's POST, and their body. */
import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import type { MailFile, WrittenMail } from './types.ts';

type MailSignature = { timestamp: string; token: string; signature: string };

/** `now` is in milliseconds. Every signature has its own token. */
export function signMail(signingKey: string, now = Date.now()): MailSignature {
  const timestamp = String(Math.floor(now / 1000));
  const token = randomBytes(25).toString('hex');
  const signature = createHmac('sha256', signingKey)
    .update(timestamp + token)
    .digest('hex');
  return { timestamp, token, signature };
}

export const newMessageId = (address: string): string => `<${randomUUID()}@${address.split('@').at(-1)}>`;

/** Names keep their case and may be repeated: `From` and `from` are two fields. */
export function inboundFields(
  mail: WrittenMail & { messageId: string },
  signature: MailSignature | undefined,
): [string, string][] {
  const headers = headersOf(mail);
  const { text, html, files = [] } = mail;
  const parts = text === undefined ? undefined : stripped(text);
  const contentIds = files.length > 0 ? [['attachment-count', String(files.length)]] : [];
  return [
    ['recipient', mail.to],
    ['sender', mail.sender ?? mail.from.address],
    ['subject', mail.subject],
    ['from', fromHeader(mail)],
    ...headers,
    ...(text === undefined ? [] : [['body-plain', text]]),
    ...(parts ? [['stripped-text', parts.text]] : []),
    ...(parts ? [['stripped-signature', parts.signature]] : []),
    ...(html === undefined ? [] : [['body-html', html]]),
    ...(html === undefined ? [] : [['stripped-html', html.replace(/<blockquote[\s\S]*<\/blockquote>/i, '')]]),
    ['message-headers', JSON.stringify(headers)],
    ...contentIds,
    ...Object.entries(signature ?? {}),
  ] as [string, string][];
}

/** Urlencoded without attachments, multipart with them, like the real one. */
export function inboundBody(
  fields: readonly [string, string][],
  files: readonly MailFile[] = [],
): URLSearchParams | FormData {
  if (files.length === 0)
    return new URLSearchParams(fields.map(([name, value]): [string, string] => [name, value]));
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value);
  for (const [index, { name, contentType, content }] of files.entries())
    form.append(`attachment-${index + 1}`, new File([new Uint8Array(content)], name, { type: contentType }));
  return form;
}

function fromHeader({ from }: WrittenMail): string {
  return from.name === '' ? from.address : `${from.name} <${from.address}>`;
}

function headersOf(mail: WrittenMail & { messageId: string }): [string, string][] {
  const sender = mail.sender ?? mail.from.address;
  const extraHeaders = mail.headers ?? [];
  const hasType = extraHeaders.some(([name]) => name.toLowerCase() === 'content-type');
  const type =
    (mail.files ?? []).length > 0 ? 'multipart/mixed; boundary="mail"' : 'text/plain; charset="utf-8"';
  return [
    ['X-Mailgun-Incoming', 'Yes'],
    ['X-Envelope-From', `<${sender}>`],
    ...(mail.results ?? []),
    ['Received', `from mail.sandbox.test by sandbox with SMTP; ${new Date().toUTCString()}`],
    ['Mime-Version', '1.0'],
    ['From', fromHeader(mail)],
    ['Date', new Date().toUTCString()],
    ['Message-Id', mail.messageId],
    ['Subject', mail.subject],
    ['To', mail.to],
    ...(mail.inReplyTo === undefined ? [] : [['In-Reply-To', mail.inReplyTo]]),
    ...(mail.references?.length ? [['References', mail.references.join(' ')]] : []),
    ...(hasType ? [] : [['Content-Type', type]]),
    ...extraHeaders,
  ] as [string, string][];
}

/** The person's own text, without quotations and without the signature below `-- `. */
function stripped(text: string): { text: string; signature: string } {
  const lines = text.split(/\r?\n/);
  const quoted = lines.findIndex(
    (line, index) => /wrote:\s*$/.test(line) && lines[index + 1]?.startsWith('>'),
  );
  const own = quoted === -1 ? lines.filter((line) => !line.startsWith('>')) : lines.slice(0, quoted);
  const mark = own.findIndex((line) => /^-- ?$/.test(line));
  const end = mark === -1 ? own.length : mark;
  return {
    text: own.slice(0, end).join('\r\n').trim(),
    signature: own
      .slice(end + 1)
      .join('\r\n')
      .trim(),
  };
}
