/**
 * A messenger with the real Bot API. Bots call it, and it delivers updates to their webhooks with the real one's
 * queues, order and retries, or on request. `say` writes as a person; `sent` holds the bots' messages.
 */

import { type Answer, type Call, FakePlatform, type Fault } from './fake/fake-server.ts';
import { RecordLog } from './fake/record-log.ts';
import { openCallback } from './messenger/buttons.ts';
import { chatOf, maxEntries, messageUpdate, reachesBot, type Saying, saidEntry } from './messenger/chats.ts';
import { Deliveries, postUpdate } from './messenger/delivery.ts';
import { FileShelf } from './messenger/media.ts';
import { findMethod } from './messenger/methods.ts';
import { countersNow, type NewBot, newBot } from './messenger/new-bot.ts';
import { type DeliveryHints, deliverySummary, newDelivery } from './messenger/new-delivery.ts';
import { Polls } from './messenger/polling.ts';
import { exportBots, type MessengerState } from './messenger/state.ts';
import type { Bot, Delivery, Entry, MessengerEvent, Sent, Update } from './messenger/types.ts';
import { PlatformError } from './messenger/types.ts';
import type { WebhookChange, WebhookRules } from './messenger/webhook.ts';
import {
  fileParts,
  pathParts,
  refusalAnswer,
  type ScriptedRefusal,
  scriptedRefusal,
  tokenShape,
} from './messenger/wire.ts';

export type FakeMessengerOptions = Partial<WebhookRules> & {
  port?: number;
  /** Defaults to loopback. */
  host?: string;
  /** Any well-formed token creates its bot on first use. */
  acceptAnyToken?: boolean;
  /** Multiplies the delays between delivery attempts, including `Retry-After`. Defaults to 1, the real delays. */
  retryScale?: number;
};

type ScriptedError = Pick<Fault, 'times' | 'on'> & ScriptedRefusal;

export class FakeMessenger extends FakePlatform {
  readonly sent = new RecordLog<Sent>();
  readonly deliveries = new RecordLog<Delivery>();
  readonly rules: WebhookRules;
  readonly polls: Polls;
  readonly files = new FileShelf();
  readonly #bots = new Map<string, Bot>();
  readonly #blocked = new Map<string, string>();
  readonly #listeners = new Set<(event: MessengerEvent) => void>();
  readonly #acceptsAnyToken: boolean;
  readonly #queues: Deliveries;

  constructor(options: FakeMessengerOptions = {}) {
    super();
    this.#acceptsAnyToken = options.acceptAnyToken ?? false;
    this.rules = {
      limitsWebhookRate: options.limitsWebhookRate ?? true,
      webhookUrls: options.webhookUrls ?? 'any',
    };
    this.#queues = new Deliveries({
      retryScale: options.retryScale ?? 1,
      onChange: (bot, delivery) => this.#deliveryChanged(bot, delivery),
      onReply: (bot, reply) => this.#replied(bot, reply),
    });
    this.polls = new Polls(this.#queues);
  }

  async start(port?: number, host?: string): Promise<this> {
    return this.listen({ port, host });
  }

  override async close(): Promise<void> {
    this.#queues.close();
    this.polls.close();
    await super.close();
  }

  // --- bots
  // -----------------------------------------------------------------------------------------------------------

  get bots(): Bot[] {
    return [...this.#bots.values()];
  }

  addBot(bot: NewBot): Bot {
    const made = newBot(bot);
    this.#bots.set(bot.token, made);
    this.emit({ type: 'bot', botId: made.id });
    return made;
  }

  /** Acts as if the token had been revoked: 401 from now on. */
  removeBot(token: string): void {
    const bot = this.#bots.get(token);
    if (bot !== undefined) this.#queues.dropPending(bot);
    this.#bots.delete(token);
  }

  /** Finds a bot by token or id. Throws if it was never created. */
  bot(tokenOrId: string | number): Bot {
    const existingBot =
      this.#bots.get(String(tokenOrId)) ?? this.bots.find((bot) => String(bot.id) === String(tokenOrId));
    if (existingBot === undefined) throw new Error('the fake messenger has no such bot');
    return existingBot;
  }

  pending(bot: Bot): number {
    return this.#queues.pending(bot).length;
  }

  history(tokenOrId: string | number, chatId: number | string): readonly Entry[] {
    return this.bot(tokenOrId).chats.get(String(chatId))?.entries ?? [];
  }

  // --- people
  // ---------------------------------------------------------------------------------------------------------

  /** A person writes. The delivery is `withheld` if the platform would not show the message to the bot. */
  say(saying: Saying & { botToken: string }): Delivery {
    const bot = this.bot(saying.botToken);
    const chat = chatOf(bot, saying.chatId, saying.chat);
    const messageId = bot.nextMessageId++;
    const update = messageUpdate(bot, chat, saying, messageId, this.files);
    const entry = saidEntry(saying, messageId);
    this.addEntry(bot, String(saying.chatId), entry);
    const source = { chatId: String(saying.chatId), messageId };
    const isWithheld = chat.refusal !== undefined || !reachesBot(bot, chat, saying);
    return this.#enqueue(bot, update, { source, isWithheld });
  }

  /** Queues an update unchanged for the webhook; without an `update_id` it gets the next one. */
  receive(
    botToken: string,
    update: Record<string, unknown>,
    hints: DeliveryHints = { isWithheld: false },
  ): Delivery {
    const bot = this.bot(botToken);
    openCallback(bot, update);
    return this.#enqueue(bot, update, hints);
  }

  /** One POST to the webhook, beside the queues, without retry: for duplicates and floods. Status 0: no answer. */
  async post(botToken: string, update: Record<string, unknown>): Promise<{ status: number; body: string }> {
    const bot = this.bot(botToken);
    const { webhook } = bot;
    openCallback(bot, update);
    if (webhook === undefined) throw new Error('the bot has no webhook');
    const posted = await postUpdate(webhook, { update: update as Update }, this.closing);
    return { status: posted.attempt.status ?? 0, body: posted.body.text };
  }

  /** Sending to this chat is 403 from now on. */
  blockChat(chatId: number | string, description = 'Forbidden: bot was blocked by the user'): void {
    this.#blocked.set(String(chatId), description);
  }

  unblockChat(chatId: number | string): void {
    this.#blocked.delete(String(chatId));
  }

  // --- scripting and watching
  // -----------------------------------------------------------------------------------------

  /**
   * The next `times` (default 1) calls of a method are refused in the platform's form. Connections are cut with `fail`.
   */
  failNext(method: string, { status, description, retryAfter, ...scope }: ScriptedError): void {
    const refusal = scriptedRefusal({ status, description, retryAfter });
    this.fail(findMethod(method)?.name ?? method, { ...refusal, ...scope });
  }

  /** Returns a function that unsubscribes. */
  subscribe(listener: (event: MessengerEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  exportState(): MessengerState {
    return exportBots(this.bots, (bot) => this.#queues.pending(bot));
  }

  /** Imports into a fresh fake. Undelivered updates are retried. */
  importState(state: MessengerState): void {
    const now = countersNow();
    for (const { pending, chats, ...kept } of state.bots) {
      // States from before buttons existed have no open ones.
      const bot: Bot = {
        ...kept,
        nextUpdateId: Math.max(kept.nextUpdateId, now.nextUpdateId),
        nextMessageId: Math.max(kept.nextMessageId, now.nextMessageId),
        openCallbacks: kept.openCallbacks ?? [],
        commandsByLanguage: kept.commandsByLanguage ?? {},
        chats: new Map(chats),
      };
      this.#bots.set(bot.token, bot);
      for (const delivery of pending) {
        this.deliveries.add(delivery);
        this.#queues.add(bot, delivery);
      }
    }
  }

  // --- what the methods use
  // -------------------------------------------------------------------------------------------

  emit(event: MessengerEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  blockedBecause(chatId: number | string): string | undefined {
    return this.#blocked.get(String(chatId));
  }

  addEntry(bot: Bot, chatId: string, entry: Entry): void {
    const chat = chatOf(bot, chatId);
    chat.entries.push(entry);
    if (chat.entries.length > maxEntries) chat.entries.shift();
    this.emit({ type: 'message', botId: bot.id, chatId, entry });
  }

  entryChanged(bot: Bot, chatId: string, entry: Entry): void {
    this.emit({ type: 'edit', botId: bot.id, chatId, entry });
  }

  webhookChanged(bot: Bot, change: WebhookChange): void {
    if (change.dropsPending) this.#queues.dropPending(bot);
    if (!change.changed) return;
    this.#queues.wake(bot);
    this.emit({ type: 'bot', botId: bot.id });
  }

  // --- the platform's side
  // --------------------------------------------------------------------------------------------

  protected operationOf(_method: string, path: string): string {
    const name = pathParts(path)?.method ?? path;
    return fileParts(path) ? 'downloadFile' : (findMethod(name)?.name ?? name);
  }

  protected async answer(call: Call): Promise<Answer> {
    try {
      const wanted = fileParts(call.path);
      if (wanted && this.#authenticated(wanted.token))
        return { status: 200, body: this.files.read(wanted.path) };
      const parts = pathParts(call.path);
      if (parts === undefined) throw new PlatformError(404, 'Not Found');
      const bot = this.#authenticated(parts.token);
      const method = findMethod(parts.method);
      if (method === undefined) throw new PlatformError(404, 'Not Found: method not found');
      const params = { ...Object.fromEntries(call.query), ...call.params };
      const { result, description } = await method.run({ fake: this, bot, params });
      return {
        status: 200,
        body: { ok: true, result, ...(description === undefined ? {} : { description }) },
      };
    } catch (error) {
      if (error instanceof PlatformError) return refusalAnswer(error);
      throw error;
    }
  }

  #authenticated(token: string): Bot {
    const bot = this.#bots.get(token);
    if (bot !== undefined) return bot;
    if (!tokenShape.test(token)) throw new PlatformError(401, 'Unauthorized: invalid token specified');
    if (!this.#acceptsAnyToken) throw new PlatformError(401, 'Unauthorized');
    return this.addBot({ token });
  }

  #enqueue(bot: Bot, update: Record<string, unknown>, how: DeliveryHints): Delivery {
    const delivery = newDelivery(bot, update, how);
    this.deliveries.add(delivery);
    if (delivery.state === 'withheld') this.#deliveryChanged(bot, delivery);
    else this.#queues.add(bot, delivery);
    this.polls.arrived(bot);
    return delivery;
  }

  #deliveryChanged(bot: Bot, delivery: Delivery): void {
    this.deliveries.touch(delivery);
    const { source } = delivery;
    const entry =
      source && bot.chats.get(source.chatId)?.entries.find((one) => one.messageId === source.messageId);
    if (source === undefined || entry === undefined) return;
    entry.delivery = deliverySummary(delivery);
    this.emit({ type: 'delivery', botId: bot.id, chatId: source.chatId, entry });
  }

  #replied(bot: Bot, reply: Record<string, unknown>): void {
    const method = findMethod(String(reply.method ?? ''));
    if (method === undefined || /^(deleteWebhook|setWebhook|get.*)$/.test(method.name)) return;
    // As on the real platform, the result of a reply in a response is not reported.
    void (async () => method.run({ fake: this, bot, params: reply }))().catch(() => undefined);
  }
}

/** Listens on its own port; `url` is what `MESSENGER_API_URL` needs. */
export function startFakeMessenger(options: FakeMessengerOptions = {}): Promise<FakeMessenger> {
  return new FakeMessenger(options).start(options.port, options.host);
}
