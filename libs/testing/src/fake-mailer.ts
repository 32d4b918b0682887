/**
 * A mailer: its sending API (`POST /v3/<domain>/messages`), its inbound routes, and people's mail programs, which
 * keep threads, bounce and reply automatically.
 */
import { type Answer, type Call, FakePlatform } from './fake/fake-server.ts';
import { RecordLog } from './fake/record-log.ts';
import { newMessageId } from './mailer/inbound-fields.ts';
import { MailRoutes } from './mailer/routes.ts';
import { autoReplyOf, bounceOf, MailThreads } from './mailer/threads.ts';
import type { MailDelivery, MailEntry, MailerEvent, MailRoute, WrittenMail } from './mailer/types.ts';

type FakeMailerOptions = {
  port?: number;
  apiKey?: string;
  /** If set, other domains are unknown. */
  domain?: string;
  /** Multiplies every delay before an inbound mail is posted again: 0.0001 makes ten minutes 60 ms. */
  retryScale?: number;
  /** Accepts any key of this shape besides `apiKey`. */
  acceptAnyKey?: boolean;
};

/** The state of a mailer that a sandbox keeps. */
export type MailerState = { routes: MailRoute[]; entries: MailEntry[] };

type SentMail = {
  id: string;
  domain: string;
  from: string;
  to: string[];
  subject: string;
  text: string;
  html: string | undefined;
  /** The `h:` fields, with names as they were sent, without the prefix. */
  headers: Record<string, string>;
  /** Every field, as it was sent. */
  fields: Record<string, unknown>;
};

export class FakeMailer extends FakePlatform {
  readonly sent = new RecordLog<SentMail>();
  /** Mails to bots, with the state of each. */
  readonly deliveries = new RecordLog<MailDelivery>();
  readonly routes: MailRoutes;
  readonly threads = new MailThreads();
  /** Addresses that accept no mail: it bounces. */
  readonly bouncing = new Set<string>();
  readonly apiKey: string;
  readonly #options: FakeMailerOptions;
  readonly #listeners = new Set<(event: MailerEvent) => void>();
  #nextId = 1;

  constructor(options: FakeMailerOptions = {}) {
    super();
    this.apiKey = options.apiKey ?? 'fake-mailer-key';
    this.#options = options;
    this.routes = new MailRoutes(options.retryScale ?? 1, this.closing);
  }

  subscribe(listener: (event: MailerEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Posts mail for this address to the route from now on; `*` stands for every address without its own route. */
  addRoute(route: MailRoute): void {
    this.routes.add(route);
    this.#tell({ type: 'route' });
  }

  /** A person writes to a bot. The mail is delivered in the background; `deliveries` has its state. */
  write(mail: WrittenMail): { entry: MailEntry; delivery: MailDelivery } {
    const whole = { ...mail, messageId: mail.messageId ?? newMessageId(mail.from.address) };
    const route = this.routes.find(mail.to);
    const state = route === undefined ? 'unrouted' : 'queued';
    const delivery: MailDelivery = { mail: whole, route, attempts: [], state };
    const entry = this.threads.add({
      direction: 'in',
      from: mail.from,
      to: mail.to,
      subject: mail.subject,
      text: mail.text ?? '',
      html: mail.html ?? null,
      messageId: whole.messageId,
      headers: {
        ...Object.fromEntries(mail.headers ?? []),
        ...(mail.inReplyTo === undefined ? {} : { 'In-Reply-To': mail.inReplyTo }),
        ...(mail.references === undefined ? {} : { References: mail.references.join(' ') }),
      },
      files: (mail.files ?? []).map(({ name, contentType, content }) => ({
        name,
        contentType,
        sizeBytes: content.length,
      })),
    });
    Object.assign(entry, { delivery: state, attempts: delivery.attempts });
    this.deliveries.add(delivery);
    this.#tell({ type: 'mail', entry });
    void this.routes.deliver(delivery, () => {
      entry.delivery = delivery.state;
      this.deliveries.touch(delivery);
      this.#tell({ type: 'delivery', entry });
    });
    return { entry, delivery };
  }

  /** Bounces a mail of the bot. */
  bounce(entry: MailEntry, reason = '550 5.1.1 The email account that you tried to reach does not exist') {
    return this.write(bounceOf(entry, reason));
  }

  /** Answers a mail of the bot with its recipient's automatic absence reply. */
  autoReply(entry: MailEntry, name: string) {
    return this.write(autoReplyOf(entry, name));
  }

  exportState(): MailerState {
    return { routes: this.routes.all, entries: [...this.threads.all] };
  }

  importState({ routes, entries }: MailerState): void {
    for (const route of routes) this.routes.add(route);
    this.threads.load(entries);
  }

  #tell(event: MailerEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  async start(port?: number): Promise<this> {
    return this.listen({ port });
  }

  /** The next `times` (default 1) messages are refused. Connections are cut with `fail('send', …)`. */
  failNext(error: { status: number; message?: string; times?: number }): void {
    this.fail('send', {
      status: error.status,
      body: { message: error.message ?? 'Internal Server Error' },
      times: error.times ?? 1,
    });
  }

  protected operationOf(method: string, path: string): string {
    return method === 'POST' && domainOf(path) !== undefined ? 'send' : path;
  }

  protected async answer(call: Call): Promise<Answer> {
    const domain = domainOf(call.path);
    if (domain === undefined || call.method !== 'POST')
      return { status: 404, body: { message: 'Not Found' } };
    if (!this.#isKnown(call.headers.authorization)) return { status: 401, body: 'Forbidden' };
    if (this.#options.domain !== undefined && domain !== this.#options.domain) {
      return { status: 404, body: { message: `Domain not found: ${domain}` } };
    }
    const fields = call.params;
    const missing = ['from', 'to', 'subject'].find((name) => textOf(fields[name]) === '');
    if (missing !== undefined) return { status: 400, body: { message: `${missing} parameter is missing` } };
    if (textOf(fields.text) === '' && textOf(fields.html) === '') {
      return { status: 400, body: { message: "Need at least one of 'text' or 'html' parameters specified" } };
    }
    const recipients = recipientsOf(fields.to);
    if (!recipients.every((to) => /^[^\s@<>,]+@[^\s@<>,]+\.[^\s@<>,]+$/.test(addressIn(to).address)))
      return {
        status: 400,
        body: { message: 'to parameter is not a valid address. please check documentation' },
      };
    if (extraBytes(fields) > maxExtraBytes)
      return { status: 400, body: { message: 'o:, h: and v: parameters are larger than 16 kB' } };
    const mail = this.#accept(domain, fields);
    return { status: 200, body: { id: mail.id, message: 'Queued. Thank you.' } };
  }

  #accept(domain: string, fields: Record<string, unknown>): SentMail {
    const headers = Object.fromEntries(
      Object.entries(fields)
        .filter(([name]) => name.startsWith('h:'))
        .map(([name, value]) => [name.slice(2), textOf(value)]),
    );
    const mail: SentMail = {
      id: headers['Message-Id'] ?? `<${Date.now()}.${this.#nextId++}@${domain}>`,
      domain,
      from: textOf(fields.from),
      to: recipientsOf(fields.to),
      subject: textOf(fields.subject),
      text: textOf(fields.text),
      html: fields.html === undefined ? undefined : textOf(fields.html),
      headers,
      fields,
    };
    this.sent.add(mail);
    for (const to of mail.to) this.#arrive(mail, addressIn(to).address);
    return mail;
  }

  /** Delivers to the recipient's mail program, or bounces if the address doesn't exist. */
  #arrive({ id, from, subject, text, html, headers }: SentMail, to: string): void {
    const entry = this.threads.add({
      direction: 'out',
      to,
      subject,
      text,
      html: html ?? null,
      headers,
      messageId: id,
      files: [],
      from: addressIn(from),
    });
    this.#tell({ type: 'mail', entry });
    if (this.bouncing.has(to.toLowerCase()) && entry.copies === 1) this.bounce(entry);
  }

  #isKnown(authorization: string | undefined): boolean {
    const [, encoded = ''] = /^Basic ([\w+/=]+)$/.exec(authorization ?? '') ?? [];
    const [user, key] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
    return user === 'api' && (key === this.apiKey || (this.#options.acceptAnyKey === true && key !== ''));
  }
}

const maxExtraBytes = 16 * 1024;

function extraBytes(fields: Record<string, unknown>): number {
  return Object.entries(fields)
    .filter(([name]) => /^[ohv]:/.test(name))
    .reduce((bytes, [name, value]) => bytes + Buffer.byteLength(name + textOf(value)), 0);
}

function recipientsOf(value: unknown): string[] {
  const all = Array.isArray(value) ? value.map(String) : textOf(value).split(',');
  return all.map((one) => one.trim());
}

function addressIn(text: string): { name: string; address: string } {
  const [, name, address] = /^\s*"?([^"<]*?)"?\s*<([^<>]+)>\s*$/.exec(text) ?? [];
  return { name: name ?? '', address: address ?? text.trim() };
}

function domainOf(path: string): string | undefined {
  return /^\/v3\/([^/]+)\/messages$/.exec(path)?.[1];
}

function textOf(value: unknown): string {
  return Array.isArray(value) ? String(value[0] ?? '') : String(value ?? '');
}

/** Listens on its own port; `url` is what `MAILER_API_URL` needs (no version). */
export function startFakeMailer(options: FakeMailerOptions = {}): Promise<FakeMailer> {
  return new FakeMailer(options).start(options.port);
}
