import { randomInt, randomUUID } from 'node:crypto';
import { eventually } from '../eventually.ts';
import { type FakeMessenger, startFakeMessenger } from '../fake-messenger.ts';
import type {
  Delivery,
  Group,
  HeldSends,
  Person,
  PlatformBot,
  PlatformDriver,
  Saying,
  Sent,
  Written,
} from './driver.ts';
import { heldSends } from './held-sends.ts';

const secretHeader = 'x-telegram-bot-api-secret-token';

export async function startTelegram(): Promise<PlatformDriver> {
  const fake = await startFakeMessenger({ limitsWebhookRate: false, retryScale: 0.05 });
  return {
    name: 'messenger',
    env: { MESSENGER_API_URL: fake.url },
    close: () => fake.close(),
    connect: async ({ botId, create }) => {
      const botToken = `${randomInt(1e9, 9e9)}:${'t'.repeat(35)}`;
      const username = `suite_${randomInt(1e9)}_bot`;
      const secret = randomUUID();
      fake.addBot({ token: botToken, username });
      await create({
        integrationType: 'messenger',
        credentials: { botToken, botName: username },
        settings: { messenger: { webhookSecretToken: secret } },
      });
      await eventually('the webhook is registered', () => fake.bot(botToken).webhook !== undefined);
      return new TelegramBot(fake, { botId, username, secret });
    },
  };
}

const seconds = () => Math.floor(Date.now() / 1000);
const newSupergroupId = () => `-100${randomInt(1_000_000_000, 9_000_000_000)}`;

interface Integration {
  botId: string;
  username: string;
  secret: string;
}

class TelegramBot implements PlatformBot {
  readonly #fake: FakeMessenger;
  readonly #integration: Integration;
  readonly #sayings = new Map<string, Saying>();
  #lastNumber = 1000;

  constructor(fake: FakeMessenger, integration: Integration) {
    this.#fake = fake;
    this.#integration = integration;
  }

  newPerson(name: string): Person {
    return { id: String(randomInt(5_000_000_000, 9_000_000_000)), name };
  }

  newPersonWithDigits(name: string, digits: string): Person {
    return { id: digits, name };
  }

  /** A group that is not a supergroup yet. */
  newGroup(): Group {
    return { id: `-${randomInt(1_000_000_000, 4_000_000_000)}` };
  }

  write(saying: Saying): Written {
    const id = this.#newNumber();
    this.#sayings.set(id, saying);
    return { id, person: saying.person, delivery: this.#deliver({ message: this.#messageOf(saying, id) }) };
  }

  forge(delivery: Delivery): Delivery {
    return { ...delivery, headers: { ...delivery.headers, [secretHeader]: 'wrong' } };
  }

  deliverBody(body: string): Delivery {
    return { ...this.#deliver({}), body };
  }

  edit({ id }: Written, text: string): Delivery {
    const message = this.#messageOf({ ...this.#sayings.get(id)!, text }, id);
    return this.#deliver({ edited_message: { ...message, edit_date: seconds() } });
  }

  press({ id, text }: Sent, label: string, person: Person): Delivery {
    const sent = this.#fake.sent.all.findLast(({ entry }) => String(entry.messageId) === id);
    const buttons = sent?.entry.buttons?.flat() ?? [];
    const { data = '' } = buttons.find((button) => button.text === label) ?? { data: 'choice' };
    const keyboard = { inline_keyboard: [[{ text: label, callback_data: data }]] };
    const message = { ...this.#messageOf({ person, text }, this.#newNumber()), reply_markup: keyboard };
    const from = { id: Number(person.id), is_bot: false, first_name: person.name };
    const callback_query = { id: this.#newNumber(), from, message, chat_instance: '1', data };
    return this.#deliver({ callback_query });
  }

  /** The platform tells all reactions that the person has now. */
  rate({ id }: Sent, rating: 'up' | 'down' | null, person: Person): Delivery[] {
    const emoji = rating && { up: '👍', down: '👎' }[rating];
    const from = { id: Number(person.id), is_bot: false, first_name: person.name };
    const message_reaction = {
      chat: { id: Number(person.id), type: 'private', first_name: person.name },
      message_id: Number(id),
      user: from,
      date: seconds(),
      old_reaction: [],
      new_reaction: emoji === null ? [] : [{ type: 'emoji', emoji }],
    };
    return [this.#deliver({ message_reaction })];
  }

  /** The group becomes a supergroup. */
  rename({ id }: Group): { delivery: Delivery; place: Group } {
    const place = { id: newSupergroupId() };
    const message = {
      message_id: Number(this.#newNumber()),
      chat: { id: Number(id), type: 'group', title: 'Group' },
      date: seconds(),
      migrate_to_chat_id: Number(place.id),
    };
    return { delivery: this.#deliver({ message }), place };
  }

  block({ id }: Person | Group): void {
    this.#fake.blockChat(id);
  }

  unblock({ id }: Person | Group): void {
    this.#fake.unblockChat(id);
  }

  limit(): void {
    this.#fake.failNext('sendMessage', { status: 429, retryAfter: 1 });
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

  sentTo({ id }: Person | Group) {
    return this.#fake.sent
      .filter(({ chatId }) => chatId === id)
      .map(({ params, entry: { file, messageId, buttons = [] } }) => ({
        id: String(messageId),
        text: String(params.text ?? ''),
        buttons: buttons.flat().map(({ text }) => text),
        ...(file ? { file } : {}),
      }));
  }

  typingSeen({ id }: Person): number {
    return this.#fake.calls
      .filter(({ operation }) => operation === 'sendChatAction')
      .filter(({ params }) => String(params.chat_id) === id).length;
  }

  #newNumber(): string {
    this.#lastNumber += 1;
    return String(this.#lastNumber);
  }

  #deliver(content: Record<string, unknown>): Delivery {
    const { botId, secret } = this.#integration;
    return {
      path: `/webhooks/messenger/${botId}`,
      headers: { 'content-type': 'application/json', [secretHeader]: secret },
      body: JSON.stringify({ update_id: Number(this.#newNumber()), ...content }),
    };
  }

  #messageOf({ person, text, group, isAddressed, file }: Saying, id: string): Record<string, unknown> {
    const mention = `@${this.#integration.username}`;
    const entities = [{ type: 'mention', offset: 0, length: mention.length }];
    const words = isAddressed ? { text: `${mention} ${text}`, entities } : { text };
    const document = file && {
      ...this.#fake.files.keep('document', { bytes: file.bytes }),
      file_name: file.name,
      mime_type: file.type,
    };
    return {
      message_id: Number(id),
      from: { id: Number(person.id), is_bot: false, first_name: person.name },
      chat: group
        ? { id: Number(group.id), type: group.id.startsWith('-100') ? 'supergroup' : 'group', title: 'Group' }
        : { id: Number(person.id), type: 'private', first_name: person.name },
      date: seconds(),
      ...(document ? { document, caption: text } : words),
    };
  }
}
