import { createHmac, randomInt } from 'node:crypto';
import { eventually } from '../eventually.ts';
import { type FakeWhatsApp, startFakeWhatsApp } from '../fake-whatsapp.ts';
import {
  type Content,
  contactOf,
  metadataOf,
  pressContent,
  recipientOf,
  secondsNow,
  senderOf,
  textContent,
  userIdChange,
} from '../whatsapp/incoming.ts';
import type { Business } from '../whatsapp/new-business.ts';
import type { WaPerson } from '../whatsapp/types.ts';
import type {
  Challenge,
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

export async function startWhatsApp(): Promise<PlatformDriver> {
  const pace = { pairIntervalMs: 100, pairBurst: 20 };
  const fake = await startFakeWhatsApp({ retryScale: 0.01, reportsDelivery: false, pace });
  return {
    name: 'whatsapp',
    env: { WHATSAPP_API_URL: fake.url },
    close: () => fake.close(),
    connect: async ({ botId, create }) => {
      const business = fake.addBusiness();
      const { app, account, number, token } = business;
      await create({
        integrationType: 'whatsapp',
        credentials: {
          accessToken: token,
          phoneNumberId: number.id,
          businessAccountId: account.id,
          appSecret: app.secret,
        },
      });
      await eventually('the app is subscribed', () => number.callback ?? account.subscribed.get(app.id));
      return new WhatsAppBot(fake, business, `/webhooks/whatsapp/${botId}`);
    },
  };
}

class WhatsAppBot implements PlatformBot {
  readonly #fake: FakeWhatsApp;
  readonly #business: Business;
  readonly #path: string;

  constructor(fake: FakeWhatsApp, business: Business, path: string) {
    this.#fake = fake;
    this.#business = business;
    this.#path = path;
  }

  newPerson(name: string): Person {
    return { id: this.#fake.addPerson({ name }).userId, name };
  }

  /** A person whose identifier is their number, as the platform had it before it made others. */
  newPersonWithDigits(name: string, phone: string): Person {
    this.#fake.addPerson({ name, phone, hasNoUserId: true });
    return { id: phone, name };
  }

  write({ person, text, file }: Saying): Written {
    const id = this.#fake.newMessageId();
    const content = file ? this.#fileContent(file, text) : textContent(text);
    return { id, person, delivery: this.#deliverMessage(person, id, content) };
  }

  forge({ body }: Delivery): Delivery {
    return this.#sign(String(body), 'another secret');
  }

  /** The same notification in a body of its own. */
  repeat({ body }: Delivery): Delivery {
    const notification = JSON.parse(String(body)) as { entry: Record<string, unknown>[] };
    const entry = notification.entry.map((one) => ({ ...one, time: Number(one.time) + 1 }));
    return this.#sign(JSON.stringify({ ...notification, entry }));
  }

  edit({ id, person }: Written, text: string): Delivery {
    const edit = { original_message_id: id, message: textContent(text) };
    return this.#deliverMessage(person, this.#fake.newMessageId(), { type: 'edit', edit });
  }

  remove({ id, person }: Written): Delivery {
    const revoke = { original_message_id: id };
    return this.#deliverMessage(person, this.#fake.newMessageId(), { type: 'revoke', revoke });
  }

  press({ id }: Sent, label: string, person: Person): Delivery {
    const sent = this.#fake.sent.all.findLast((one) => one.id === id);
    const button = sent?.buttons.find(({ title, description }) => (description ?? title) === label);
    const pressed = sent && button && pressContent(sent, button).interactive;
    const interactive = pressed ?? {
      type: 'button_reply',
      button_reply: { id: 'choice', title: label },
    };
    const context = { from: metadataOf(this.#business.number).display_phone_number, id };
    const content = { type: 'interactive', interactive, context };
    return this.#deliverMessage(person, this.#fake.newMessageId(), content);
  }

  rate({ id }: Sent, rating: 'up' | 'down' | null, person: Person): Delivery[] {
    const emoji = rating === null ? '' : { up: '👍🏾', down: '👎' }[rating];
    const content = { type: 'reaction', reaction: { message_id: id, emoji } };
    return [this.#deliverMessage(person, this.#fake.newMessageId(), content)];
  }

  report({ id }: Sent, status: 'delivered' | 'read' | 'failed', person: Person): Delivery {
    const of = this.#personOf(person);
    const statuses = [{ id, status, timestamp: secondsNow(), ...recipientOf(of) }];
    return this.#deliver({ contacts: [contactOf(of)], statuses });
  }

  read(sent: Sent, person: Person): Delivery {
    return this.report(sent, 'read', person);
  }

  rename(person: Person): { delivery: Delivery; place: Person } {
    const former = this.#personOf(person);
    const changed = { ...former, userId: `DE.${randomInt(1e12, 1e14)}` };
    this.#fake.people.set(former.phone, changed);
    const delivery = this.#deliver(userIdChange(former, changed), 'user_id_update');
    return { delivery, place: { id: changed.userId, name: changed.name } };
  }

  challenge(): Challenge {
    const { app, account, number } = this.#business;
    const { verifyToken } = number.callback ?? account.subscribed.get(app.id)!;
    const answer = String(randomInt(1e9));
    const requestWith = (token: string): Delivery => {
      const query = { 'hub.mode': 'subscribe', 'hub.verify_token': token, 'hub.challenge': answer };
      return { method: 'GET', path: `${this.#path}?${new URLSearchParams(query)}`, headers: {}, body: '' };
    };
    return { request: requestWith(verifyToken), forged: requestWith('another token'), answer };
  }

  leave(): Delivery {
    const { app, account } = this.#business;
    const value = { event: 'PARTNER_REMOVED', waba_info: { waba_id: account.id, partner_app_id: app.id } };
    const entry = [
      { id: account.id, time: Number(secondsNow()), changes: [{ field: 'account_update', value }] },
    ];
    return this.#sign(JSON.stringify({ object: 'whatsapp_business_account', entry }));
  }

  deliverBody(body: string): Delivery {
    return this.#sign(body);
  }

  block(person: Person): void {
    this.#fake.blocked.add(`${this.#business.number.id}/${this.#personOf(person).phone}`);
  }

  unblock(person: Person): void {
    this.#fake.blocked.delete(`${this.#business.number.id}/${this.#personOf(person).phone}`);
  }

  limit(): void {
    const error = { message: '(#130429) Rate limit hit', type: 'OAuthException', code: 130_429 };
    this.#fake.fail('sendMessage', { status: 429, body: { error } });
  }

  loseAnswer(): void {
    this.#fake.fail('sendMessage', { cut: 'after' });
  }

  holdSends(words: string): HeldSends {
    return heldSends(this.#fake, 'sendMessage', words);
  }

  tooFast(): number {
    return this.#fake.calls.filter(({ status }) => status === 429).length;
  }

  sentTo(person: Person): Sent[] {
    const { phone } = this.#personOf(person);
    return this.#fake.sent
      .filter((sent) => sent.phone === phone && sent.phoneNumberId === this.#business.number.id)
      .map(({ id, text, type, message, buttons }) => {
        const { id: mediaId } = (message[type] ?? {}) as { id?: string };
        const media = mediaId === undefined ? undefined : this.#fake.media.get(mediaId);
        const labels = buttons.map(({ title, description }) => description ?? title);
        return {
          id,
          text,
          buttons: labels,
          ...(media ? { file: { name: media.fileName ?? '', bytes: media.bytes } } : {}),
        };
      });
  }

  typingSeen(): number {
    const { id } = this.#business.number;
    return this.#fake.typing.filter(({ phoneNumberId }) => phoneNumberId === id).length;
  }

  isRead({ id }: Written): boolean {
    return this.#fake.typing.all.some(({ messageId }) => messageId === id);
  }

  #personOf({ id }: Pick<Person, 'id'>): WaPerson {
    return this.#fake.personOf(id)!;
  }

  #fileContent({ name, type, bytes }: NonNullable<Saying['file']>, caption: string): Content {
    const { id } = this.#fake.media.add({ bytes, mimeType: type, fileName: name });
    return { type: 'document', document: { id, mime_type: type, filename: name, caption } };
  }

  #deliverMessage(of: Person, id: string, content: Content): Delivery {
    const person = this.#personOf(of);
    this.#fake.wroteAt.set(`${this.#business.number.id}/${person.phone}`, Date.now());
    const message = { ...senderOf(person), id, timestamp: secondsNow(), ...content };
    return this.#deliver({ contacts: [contactOf(person)], messages: [message] });
  }

  #deliver(content: Record<string, unknown>, field = 'messages'): Delivery {
    const { account, number } = this.#business;
    const value = { messaging_product: 'whatsapp', metadata: metadataOf(number), ...content };
    const entry = [{ id: account.id, time: Number(secondsNow()), changes: [{ field, value }] }];
    return this.#sign(JSON.stringify({ object: 'whatsapp_business_account', entry }));
  }

  #sign(body: string, secret = this.#business.app.secret): Delivery {
    const signature = createHmac('sha256', secret).update(body).digest('hex');
    const headers = { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` };
    return { path: this.#path, headers, body };
  }
}
