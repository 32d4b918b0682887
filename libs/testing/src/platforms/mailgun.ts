import { randomUUID } from 'node:crypto';
import { type FakeMailer, startFakeMailer } from '../fake-mailer.ts';
import { inboundBody, inboundFields, newMessageId, signMail } from '../mailer/inbound-fields.ts';
import type { WrittenMail } from '../mailer/types.ts';
import type { FormFile } from '../messenger/read-params.ts';
import type {
  Delivery,
  HeldSends,
  Person,
  PlatformBot,
  PlatformDriver,
  Saying,
  Sent,
  Written,
} from './driver.ts';
import { heldSends } from './held-sends.ts';

export async function startMailgun(): Promise<PlatformDriver> {
  const fake = await startFakeMailer({ acceptAnyKey: true, retryScale: 0.0001 });
  return {
    name: 'email',
    env: { MAILER_API_URL: fake.url, MAILER_API_KEY: fake.apiKey },
    close: () => fake.close(),
    connect: async ({ botId, create }) => {
      const address = `bot-${randomUUID()}@acme.example`;
      const signingKey = `key-${randomUUID()}`;
      await create({
        integrationType: 'email',
        credentials: { address, apiKey: 'key-of-the-tenant' },
        settings: { email: { senderPolicy: 'open', webhookSigningKey: signingKey } },
      });
      return new Mailbox(fake, { address, signingKey, path: `/webhooks/email/${botId}` });
    },
  };
}

interface Route {
  address: string;
  signingKey: string;
  path: string;
}

type Mail = WrittenMail & { messageId: string };

class Mailbox implements PlatformBot {
  readonly #fake: FakeMailer;
  readonly #route: Route;
  readonly #mails = new Map<Delivery, Mail>();

  constructor(fake: FakeMailer, route: Route) {
    this.#fake = fake;
    this.#route = route;
  }

  newPerson(name: string): Person {
    return { id: `${name.toLowerCase()}-${randomUUID()}@people.example`, name };
  }

  /** A mail answers the newest one of the bot, which is how it belongs to its conversation. */
  write({ person, text, file }: Saying): Written {
    const last = this.#mailsTo(person).at(-1);
    const mail = {
      from: { address: person.id, name: person.name },
      subject: 'A question',
      text,
      ...(last ? { inReplyTo: last.id, references: [last.id] } : {}),
      ...(file ? { files: [{ name: file.name, contentType: file.type, content: file.bytes }] } : {}),
    };
    const delivery = this.#newMail(mail);
    return { id: this.#mails.get(delivery)!.messageId, person, delivery };
  }

  forge(delivery: Delivery): Delivery {
    return this.#deliver(this.#mails.get(delivery)!, 'another key');
  }

  /** The proof of a mail is among its fields: another body has none. */
  deliverBody(body: string): Delivery {
    return { path: this.#route.path, headers: { 'content-type': 'application/x-www-form-urlencoded' }, body };
  }

  /** Each attempt has a signature of its own. */
  repeat(delivery: Delivery): Delivery {
    return this.#deliver(this.#mails.get(delivery)!);
  }

  answerByPrograms({ id }: Sent, { id: address, name }: Person, text: string): Record<string, Delivery> {
    const answer = { inReplyTo: id, references: [id], subject: 'Re: A question', text };
    const from = { address, name };
    const withHeader = (name: string, value: string) =>
      this.#newMail({ ...answer, from, headers: [[name, value]] });
    return {
      'a note of absence': withHeader('Auto-Submitted', 'auto-replied'),
      'a mailing list': withHeader('List-Id', '<news.people.example>'),
    };
  }

  comeBack({ id }: Sent, { id: address }: Person, reason: string): Delivery {
    return this.#newMail({
      from: { address: 'mailer-daemon@people.example', name: 'Mail Delivery System' },
      sender: '',
      subject: 'Undelivered Mail Returned to Sender',
      text: `Final-Recipient: rfc822; ${address}\nAction: failed\nDiagnostic-Code: smtp; ${reason}`,
      inReplyTo: id,
      headers: [['Content-Type', 'multipart/report; report-type=delivery-status; boundary="report"']],
    });
  }

  limit(): void {
    this.#fake.fail('send', { status: 429, headers: { 'retry-after': '1' }, body: 'Too many requests' });
  }

  loseAnswer(): void {
    this.#fake.fail('send', { cut: 'after' });
  }

  holdSends(words: string): HeldSends {
    return heldSends(this.#fake, 'send', words);
  }

  tooFast(): number {
    return this.#fake.calls.filter(({ status }) => status === 429).length;
  }

  sentTo(person: Pick<Person, 'id'>) {
    return this.#mailsTo(person).map(({ id, html, text, fields }) => {
      const file = fields.attachment as FormFile | undefined;
      return {
        id,
        text: html ?? text,
        ...(file ? { file: { name: file.fileName, bytes: file.bytes } } : {}),
      };
    });
  }

  #mailsTo({ id }: Pick<Person, 'id'>) {
    return this.#fake.sent.filter(({ to }) => to.some((recipient) => recipient.includes(id)));
  }

  #newMail(mail: Omit<WrittenMail, 'to'>): Delivery {
    const results: [string, string][] = [['Received-Spf', 'Pass']];
    const messageId = newMessageId(mail.from.address);
    return this.#deliver({ ...mail, to: this.#route.address, messageId, results });
  }

  #deliver(mail: Mail, key = this.#route.signingKey): Delivery {
    const { type, body } = formOf(inboundFields(mail, signMail(key)), mail);
    const delivery = { path: this.#route.path, headers: { 'content-type': type }, body };
    this.#mails.set(delivery, mail);
    return delivery;
  }
}

/** The body as bytes: it may be sent several times. */
function formOf(fields: [string, string][], { files = [] }: WrittenMail) {
  if (files.length === 0)
    return { type: 'application/x-www-form-urlencoded', body: String(inboundBody(fields)) };
  const boundary = `----${randomUUID()}`;
  const head = (rest: string) =>
    Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; ${rest}\r\n\r\n`);
  const end = Buffer.from('\r\n');
  const parts = [
    ...fields.flatMap(([name, value]) => [head(`name="${name}"`), Buffer.from(value), end]),
    ...files.flatMap(({ name, contentType, content }, index) => [
      head(`name="attachment-${index + 1}"; filename="${name}"\r\ncontent-type: ${contentType}`),
      content,
      end,
    ]),
    Buffer.from(`--${boundary}--\r\n`),
  ];
  return { type: `multipart/form-data; boundary=${boundary}`, body: new Uint8Array(Buffer.concat(parts)) };
}
