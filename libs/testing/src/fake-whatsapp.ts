/**
 * WhatsApp's Cloud API: the Graph API that bots call, and deliveries to their addresses. It enforces each step of
 * connecting (token, permissions, secret, subscription, check of the address), the 24 hours, the paces and the limits.
 */
import { randomBytes } from 'node:crypto';
import { type Answer, type Call, FakePlatform } from './fake/fake-server.ts';
import { RecordLog } from './fake/record-log.ts';
import { GraphRoutes } from './whatsapp/graph-routes.ts';
import {
  type Content,
  contactOf,
  metadataOf,
  numberChange,
  pressContent,
  recipientOf,
  secondsNow,
  senderOf,
  shownText,
  textContent,
  userIdChange,
} from './whatsapp/incoming.ts';
import { MediaShelf } from './whatsapp/media.ts';
import { type Business, type NewBusiness, newBusiness } from './whatsapp/new-business.ts';
import { type PaceRules, Paces, realPace } from './whatsapp/pace.ts';
import type {
  AccessToken,
  Account,
  App,
  Callback,
  ChatEntry,
  PhoneNumber,
  SentMessage,
  ShownMessage,
  WaPerson,
  WhatsAppEvent,
} from './whatsapp/types.ts';
import { GraphError } from './whatsapp/types.ts';
import { Webhooks } from './whatsapp/webhooks.ts';

export type FakeWhatsAppOptions = {
  port?: number;
  /** Multiplies the delays before a delivery is repeated, and the seven days after which it is given up. */
  retryScale?: number;
  /** Other limits than the real ones, for tests of answers at full speed. */
  pace?: Partial<PaceRules>;
  /** The person's device receives messages at once: `delivered` follows `sent`. Default true. */
  reportsDelivery?: boolean;
};

export class FakeWhatsApp extends FakePlatform {
  readonly sent = new RecordLog<SentMessage>();
  readonly entries = new RecordLog<ChatEntry>(2000);
  readonly typing = new RecordLog<{ phoneNumberId: string; messageId: string }>();
  readonly webhooks: Webhooks;
  readonly media = new MediaShelf();
  readonly apps = new Map<string, App>();
  readonly tokens = new Map<string, AccessToken>();
  readonly accounts = new Map<string, Account>();
  readonly numbers = new Map<string, PhoneNumber>();
  readonly people = new Map<string, WaPerson>();
  /** People who have blocked a number: `number/phone`. */
  readonly blocked = new Set<string>();
  /** When a person last wrote to a number, by `number/phone`. */
  readonly wroteAt = new Map<string, number>();
  readonly paces: Paces;
  readonly #routes = new GraphRoutes(this);
  readonly #reportsDelivery: boolean;
  readonly #listeners = new Set<(event: WhatsAppEvent) => void>();
  #nextId = 1;

  constructor(options: FakeWhatsAppOptions = {}) {
    super();
    this.#reportsDelivery = options.reportsDelivery ?? true;
    this.paces = new Paces({ ...realPace, ...options.pace });
    this.webhooks = new Webhooks(options.retryScale ?? 1, this.closing);
  }

  start(port?: number): Promise<this> {
    return this.listen({ port, basePath: '/v26.0' });
  }

  subscribe(listener: (event: WhatsAppEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** A business with everything that its owner has before connecting. Nothing is subscribed yet. */
  addBusiness(change: NewBusiness = {}): Business {
    const business = newBusiness(change, () => this.#newId());
    const { app, account, number, token } = business;
    this.apps.set(app.id, app);
    this.accounts.set(account.id, account);
    this.numbers.set(number.id, number);
    const permissions = ['whatsapp_business_messaging', 'whatsapp_business_management'] as const;
    this.tokens.set(token, { value: token, appId: app.id, permissions });
    this.emit({ type: 'number', phoneNumberId: number.id });
    return business;
  }

  addPerson(change: Partial<WaPerson> = {}): WaPerson {
    const phone = change.phone ?? `4917${String(10_000_000 + this.#nextId++)}`;
    const person = { phone, userId: `DE.${this.#newId()}`, name: 'Anna', ...change };
    this.people.set(phone, person);
    return person;
  }

  personOf(identifier: string): WaPerson | undefined {
    return (
      this.people.get(identifier) ?? [...this.people.values()].find(({ userId }) => userId === identifier)
    );
  }

  #newId(): string {
    this.#nextId += 1;
    return String(100_000_000_000_000 + this.#nextId * 7919);
  }

  /** A person writes to a number, now or at the `timestamp` of `more`. Returns the message's identifier. */
  say(
    phoneNumberId: string,
    person: WaPerson,
    content: Content | string,
    more: Record<string, unknown> = {},
  ): string {
    const message = typeof content === 'string' ? textContent(content) : content;
    const id = this.newMessageId();
    const at = more.timestamp === undefined ? Date.now() : Number(more.timestamp) * 1000;
    const window = `${phoneNumberId}/${person.phone}`;
    this.wroteAt.set(window, Math.max(at, this.wroteAt.get(window) ?? 0));
    this.entries.add({
      id,
      phoneNumberId,
      phone: person.phone,
      direction: 'in',
      text: shownText(message),
      buttons: [],
      at,
    });
    this.#deliver(phoneNumberId, {
      contacts: [contactOf(person)],
      messages: [{ ...senderOf(person), id, timestamp: secondsNow(), ...message, ...more }],
    });
    this.emit({ type: 'message', phone: person.phone, phoneNumberId });
    return id;
  }

  /** A person sends a file. */
  sendFile(
    phoneNumberId: string,
    person: WaPerson,
    kind: string,
    file: { bytes: Buffer; mimeType: string; fileName?: string; caption?: string },
  ): string {
    const { id } = this.media.add(file);
    const { mimeType: mime_type, fileName: filename, caption } = file;
    const content = { id, mime_type, ...(filename ? { filename } : {}), ...(caption ? { caption } : {}) };
    return this.say(phoneNumberId, person, { type: kind, [kind]: content });
  }

  /** A person presses a button under a message. */
  press(phoneNumberId: string, person: WaPerson, sent: ShownMessage & { id: string }, title: string): string {
    const reply = sent.buttons.find((button) => button.title === title && button.address === undefined);
    if (!reply) throw new Error(`the message has no button ${title}`);
    const from = this.numbers.get(phoneNumberId)?.display.replace(/\D/g, '');
    return this.say(phoneNumberId, person, pressContent(sent, reply), { context: { from, id: sent.id } });
  }

  /** A person gets another number, and with it another identifier. */
  changeNumber(phoneNumberId: string, person: WaPerson, phone: string, userId: string): WaPerson {
    const changed = { ...person, phone, userId };
    this.people.delete(person.phone);
    this.people.set(phone, changed);
    this.#deliver(phoneNumberId, numberChange(person, changed, this.newMessageId()));
    return changed;
  }

  /** A person gets another identifier and keeps the number. */
  changeUserId(phoneNumberId: string, person: WaPerson, userId: string): WaPerson {
    const changed = { ...person, userId };
    this.people.set(person.phone, changed);
    this.#deliver(phoneNumberId, userIdChange(person, changed), 'user_id_update');
    return changed;
  }

  /** The fate of a message that was sent. */
  report(
    sent: SentMessage,
    status: 'sent' | 'delivered' | 'read' | 'failed',
    errors?: Record<string, unknown>[],
  ): void {
    const person = this.personOf(sent.phone);
    const entry = this.entries.all.find(({ id }) => id === sent.id);
    if (entry) entry.status = status;
    if (!person) return;
    this.#deliver(sent.phoneNumberId, {
      ...(person.hasNoUserId ? {} : { contacts: [contactOf(person)] }),
      statuses: [
        {
          id: sent.id,
          status,
          timestamp: secondsNow(),
          ...recipientOf(person),
          ...(errors ? { errors } : {}),
        },
      ],
    });
  }

  /** News of an account: only the app's own address gets them. */
  announce(accountId: string, field: string, value: Record<string, unknown>): void {
    const account = this.accounts.get(accountId);
    for (const appId of account?.subscribed.keys() ?? []) {
      const app = this.apps.get(appId);
      if (app?.fields.has(field))
        this.webhooks.add({ accountId, field, value }, { callback: app.callback, appSecret: app.secret });
    }
  }

  /** Sends what `act` causes in one body to each address. */
  batched(act: () => void): void {
    this.webhooks.batched(act);
  }

  /** Sets the address of an app, which the platform checks first. @throws GraphError */
  async setAppCallback(app: App, callback: Callback): Promise<void> {
    await this.checkCallback(callback);
    app.callback = callback;
  }

  async checkCallback(callback: Callback): Promise<void> {
    if (!/^https:|^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])/.test(callback.url))
      throw new GraphError(100, 'Invalid parameter', { details: 'the callback URL must be https' });
    if (!(await this.webhooks.challenge(callback)))
      throw new GraphError(
        2200,
        'Callback verification failed with the following errors: HTTP Status Code != 200',
      );
  }

  newMessageId(): string {
    return `wamid.${randomBytes(24).toString('base64url')}`;
  }

  accepted(message: SentMessage): void {
    this.sent.add(message);
    const { addressedBy: _addressedBy, type: _type, message: _message, ...entry } = message;
    this.entries.add({ ...entry, direction: 'out', at: Date.now() });
    this.report(message, 'sent');
    if (this.#reportsDelivery) this.report(message, 'delivered');
    this.emit({ type: 'message', phone: message.phone, phoneNumberId: message.phoneNumberId });
  }

  emit(event: WhatsAppEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  /** To the number's address, the account's, or the app's, of every app that is subscribed. */
  #deliver(phoneNumberId: string, value: Record<string, unknown>, field = 'messages'): void {
    const number = this.numbers.get(phoneNumberId);
    const account = number && this.accounts.get(number.accountId);
    if (!number || !account) throw new Error(`there is no number ${phoneNumberId}`);
    const change = {
      accountId: account.id,
      field,
      value: { messaging_product: 'whatsapp', metadata: metadataOf(number), ...value },
    };
    const subscribed = [...account.subscribed].flatMap(([appId, own]) => {
      const app = this.apps.get(appId);
      return app?.fields.has(field) ? [{ app, own }] : [];
    });
    if (subscribed.length === 0) this.webhooks.add(change, { callback: undefined, appSecret: '' });
    for (const { app, own } of subscribed)
      this.webhooks.add(change, { callback: number.callback ?? own ?? app.callback, appSecret: app.secret });
  }

  protected override operationOf(method: string, path: string): string {
    return this.#routes.operationOf(method, path);
  }

  protected override async answer(call: Call): Promise<Answer> {
    try {
      return await this.#routes.answer(call);
    } catch (error) {
      if (error instanceof GraphError) return { status: error.status, body: error.body };
      throw error;
    }
  }
}

export async function startFakeWhatsApp(options: FakeWhatsAppOptions = {}): Promise<FakeWhatsApp> {
  return await new FakeWhatsApp(options).start(options.port);
}
