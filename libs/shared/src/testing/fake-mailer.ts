/** A mailer's sending API (protocols 2.4): `POST /v3/<domain>/messages`. Receiving is not here yet. */
import { type Answer, type Call, FakePlatform } from './fake-server.ts';
import { RecordLog } from './record-log.ts';

export type FakeMailerOptions = {
  port?: number;
  apiKey?: string;
  /** When set, other domains are unknown. */
  domain?: string;
};

export type SentMail = {
  id: string;
  domain: string;
  from: string;
  to: string[];
  subject: string;
  text: string;
  html: string | undefined;
  /** The `h:` fields, names as they were sent without the prefix. */
  headers: Record<string, string>;
  /** Every field, as it was sent. */
  fields: Record<string, unknown>;
};

export class FakeMailer extends FakePlatform {
  readonly sent = new RecordLog<SentMail>();
  readonly apiKey: string;
  readonly #domain: string | undefined;
  #nextId = 1;

  constructor(options: FakeMailerOptions = {}) {
    super();
    this.apiKey = options.apiKey ?? 'fake-mailer-key';
    this.#domain = options.domain;
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
    const wanted = `Basic ${Buffer.from(`api:${this.apiKey}`).toString('base64')}`;
    if (call.headers.authorization !== wanted) return { status: 401, body: 'Forbidden' };
    if (this.#domain !== undefined && domain !== this.#domain) {
      return { status: 404, body: { message: `Domain not found: ${domain}` } };
    }
    const fields = call.params;
    const missing = ['from', 'to', 'subject'].find((name) => textOf(fields[name]) === '');
    if (missing !== undefined) return { status: 400, body: { message: `${missing} parameter is missing` } };
    if (textOf(fields.text) === '' && textOf(fields.html) === '') {
      return { status: 400, body: { message: "Need at least one of 'text' or 'html' parameters specified" } };
    }
    const mail = this.#accept(domain, fields);
    return { status: 200, body: { id: mail.id, message: 'Queued. Thank you.' } };
  }

  #accept(domain: string, fields: Record<string, unknown>): SentMail {
    const headers = Object.fromEntries(
      Object.entries(fields)
        .filter(([name]) => name.startsWith('h:'))
        .map(([name, value]) => [name.slice(2), textOf(value)]),
    );
    const recipients = Array.isArray(fields.to) ? fields.to.map(String) : textOf(fields.to).split(',');
    const mail: SentMail = {
      id: headers['Message-Id'] ?? `<${Date.now()}.${this.#nextId++}@${domain}>`,
      domain,
      from: textOf(fields.from),
      to: recipients.map((one) => one.trim()),
      subject: textOf(fields.subject),
      text: textOf(fields.text),
      html: fields.html === undefined ? undefined : textOf(fields.html),
      headers,
      fields,
    };
    this.sent.add(mail);
    return mail;
  }
}

function domainOf(path: string): string | undefined {
  return /^\/v3\/([^/]+)\/messages$/.exec(path)?.[1];
}

function textOf(value: unknown): string {
  return Array.isArray(value) ? String(value[0] ?? '') : String(value ?? '');
}

/** Mounted by somebody else with `handle`. */
export function createFakeMailer(options: FakeMailerOptions = {}): FakeMailer {
  return new FakeMailer(options);
}

/** Listens on its own port; `url` is what `MAILER_API_URL` needs (no version). */
export function startFakeMailer(options: FakeMailerOptions = {}): Promise<FakeMailer> {
  return new FakeMailer(options).start(options.port);
}
