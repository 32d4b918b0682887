/** Writes a person's email from the page: a new email or a reply. */
import type { FakeMailer } from '@botyard/testing/fake-mailer';
import { answering } from '@botyard/testing/mailer/threads';
import type { MailEntry, MailFile, WrittenMail } from '@botyard/testing/mailer/types';
import { Refusal } from '../chats/actions.ts';
import { mailPeople } from './people.ts';
import { asPiece } from './pieces.ts';

type Body = Record<string, unknown>;

const maxTextUnits = 100_000;
const maxFiles = 12;

export function write(mailer: FakeMailer, body: Body): Record<string, unknown> {
  const person = mailPeople.find(({ id }) => id === body.personId);
  if (person === undefined) throw new Refusal(400, 'there is no person with this number');
  const text = textOf(body.text, 'text', maxTextUnits);
  const files = filesOf(body.files);
  const answered = answeredBy(mailer, body.answers);
  const mail: WrittenMail = {
    from: { name: person.name, address: person.address },
    ...(answered === undefined ? newMail(mailer, body) : answerTo(answered, body)),
    text: answered === undefined || body.quotes === false ? text : `${text}\r\n\r\n${quoted(answered)}`,
    ...(files.length === 0 ? {} : { files }),
  };
  const { piece } = body;
  const whole = piece === undefined ? mail : asPiece(String(piece), mail);
  if (whole === undefined) throw new Refusal(400, 'no such piece');
  const { entry } = mailer.write(whole);
  return { entryId: entry.entryId, threadId: entry.threadId };
}

function newMail(mailer: FakeMailer, { to, subject }: Body): Pick<WrittenMail, 'to' | 'subject'> {
  const isBotAddress = mailer.routes.all.some(({ address }) => address === to);
  if (typeof to !== 'string' || !isBotAddress) throw new Refusal(400, 'no bot has this address');
  return { to, subject: textOf(subject, 'subject', 500) };
}

/** Returns the email to reply to. A person may reply to another's email, as if it had been forwarded to them. */
function answeredBy(mailer: FakeMailer, entryId: unknown): MailEntry | undefined {
  if (entryId === undefined) return undefined;
  const entry = mailer.threads.find(Number(entryId));
  if (entry === undefined) throw new Refusal(404, 'no such email');
  return entry;
}

function answerTo(
  entry: MailEntry,
  { subject }: Body,
): Pick<WrittenMail, 'to' | 'subject' | 'inReplyTo' | 'references'> {
  const to = entry.direction === 'in' ? entry.to : (entry.headers['Reply-To'] ?? entry.from.address);
  const own =
    typeof subject === 'string' && subject.trim() !== '' ? textOf(subject, 'subject', 500) : undefined;
  return { to, subject: own ?? `Re: ${entry.subject.replace(/^(re:\s*)+/i, '')}`, ...answering(entry) };
}

function quoted({ at, from, text }: MailEntry): string {
  const lines = text.split(/\r?\n/).map((line) => `> ${line}`);
  return [
    `On ${new Date(at).toUTCString()}, ${from.name || from.address} <${from.address}> wrote:`,
    ...lines,
  ].join('\r\n');
}

function textOf(value: unknown, name: string, maxUnits: number): string {
  if (typeof value !== 'string' || value.length > maxUnits)
    throw new Refusal(400, `${name} must be a text of at most ${maxUnits} characters`);
  return value.toWellFormed();
}

function filesOf(value: unknown): MailFile[] {
  if (value === undefined) return [];
  if (!Array.isArray(value) || value.length > maxFiles) throw new Refusal(400, `at most ${maxFiles} files`);
  return value.map((file: Body) => {
    const { name, contentType, base64 } = file ?? {};
    if (typeof name !== 'string' || typeof base64 !== 'string')
      throw new Refusal(400, 'a file is { name, contentType, base64 }');
    const type =
      typeof contentType === 'string' && contentType !== '' ? contentType : 'application/octet-stream';
    return { name: name.slice(0, 200), contentType: type, content: Buffer.from(base64, 'base64') };
  });
}
