/**
 * The platform's delivery of updates to a webhook: one queue per chat, with the next update only after a 2xx. The
 * first retry is immediate, then after 2, 4, 8 … s or our `Retry-After`, until the update expires. Without a webhook,
 * updates wait for the next one.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { callableUrl, callFailure } from '../fake/outgoing-call.ts';
import type { Bot, Delivery, DeliveryAttempt, Webhook } from './types.ts';

const answerTimeoutMs = 60_000;

type DeliveryOptions = {
  /** Multiplies every retry delay: 0.01 makes a 2 s step 20 ms in a test. */
  retryScale: number;
  onChange: (bot: Bot, delivery: Delivery) => void;
  /** A 2xx body that names a `method` is a call of the bot (reply in the response). */
  onReply: (bot: Bot, reply: Record<string, unknown>) => void;
};

type ChatQueue = { waiting: Delivery[]; isRunning: boolean };
type BotQueues = {
  byQueue: Map<string, ChatQueue>;
  active: number;
  slots: (() => void)[];
  woken: AbortController;
};

export class Deliveries {
  readonly #options: DeliveryOptions;
  readonly #bots = new Map<number, BotQueues>();
  readonly #closing = new AbortController();

  constructor(options: DeliveryOptions) {
    this.#options = options;
  }

  add(bot: Bot, delivery: Delivery): void {
    const botQueues = this.#queuesOf(bot);
    const chatQueue = botQueues.byQueue.get(delivery.queue) ?? { waiting: [], isRunning: false };
    botQueues.byQueue.set(delivery.queue, chatQueue);
    chatQueue.waiting.push(delivery);
    void this.#run(bot, botQueues, delivery.queue, chatQueue);
  }

  pending(bot: Bot): Delivery[] {
    return [...this.#queuesOf(bot).byQueue.values()].flatMap((chatQueue) => chatQueue.waiting);
  }

  /** After a change of the webhook, all waiting updates are retried immediately. */
  wake(bot: Bot): void {
    const botQueues = this.#queuesOf(bot);
    botQueues.woken.abort();
    botQueues.woken = new AbortController();
    for (const [queue, chatQueue] of botQueues.byQueue) void this.#run(bot, botQueues, queue, chatQueue);
  }

  /** For a bot that polls: updates before this number have arrived. */
  confirm(bot: Bot, updateId: number): void {
    for (const chatQueue of this.#queuesOf(bot).byQueue.values()) {
      const arrived = chatQueue.waiting.filter((delivery) => delivery.updateId < updateId);
      chatQueue.waiting = chatQueue.waiting.filter((delivery) => delivery.updateId >= updateId);
      for (const delivery of arrived) this.#settle(bot, delivery, 'delivered');
    }
  }

  dropPending(bot: Bot): void {
    for (const chatQueue of this.#queuesOf(bot).byQueue.values()) {
      for (const delivery of chatQueue.waiting.splice(0)) this.#settle(bot, delivery, 'dropped');
    }
  }

  close(): void {
    this.#closing.abort();
    for (const botQueues of this.#bots.values()) botQueues.woken.abort();
  }

  #queuesOf(bot: Bot): BotQueues {
    let botQueues = this.#bots.get(bot.id);
    if (botQueues === undefined) {
      botQueues = { byQueue: new Map(), active: 0, slots: [], woken: new AbortController() };
      this.#bots.set(bot.id, botQueues);
    }
    return botQueues;
  }

  async #run(bot: Bot, botQueues: BotQueues, queue: string, chatQueue: ChatQueue): Promise<void> {
    if (chatQueue.isRunning) return;
    chatQueue.isRunning = true;
    for (let head = chatQueue.waiting[0]; head !== undefined; head = chatQueue.waiting[0]) {
      if (bot.webhook === undefined || this.#closing.signal.aborted) break;
      const isDone = await this.#attempt(bot, botQueues, bot.webhook, head);
      if (isDone && chatQueue.waiting[0] === head) chatQueue.waiting.shift();
    }
    chatQueue.isRunning = false;
    if (chatQueue.waiting.length === 0 && botQueues.byQueue.get(queue) === chatQueue)
      botQueues.byQueue.delete(queue);
  }

  /** True when the update needs no further attempt. */
  async #attempt(bot: Bot, botQueues: BotQueues, webhook: Webhook, delivery: Delivery): Promise<boolean> {
    await this.#takeSlot(botQueues, webhook.maxConnections);
    const { attempt, retryAfterMs, body } = await postUpdate(webhook, delivery, this.#closing.signal);
    botQueues.active -= 1;
    botQueues.slots.shift()?.();
    if (this.#closing.signal.aborted) return false;
    delivery.attempts.push(attempt);
    if (attempt.status !== undefined && attempt.status >= 200 && attempt.status < 300) {
      this.#settle(bot, delivery, 'delivered');
      this.#replyInResponse(bot, body);
      return true;
    }
    webhook.lastErrorAt = attempt.at;
    webhook.lastErrorMessage =
      attempt.error ?? `Wrong response from the webhook: ${attempt.status} ${body.statusText}`;
    if (delivery.state === 'dropped') return true;
    const delayMs = (retryAfterMs ?? backoffMs(delivery.attempts.length)) * this.#options.retryScale;
    if (Date.now() + delayMs > delivery.expiresAt) {
      this.#settle(bot, delivery, 'dropped');
      return true;
    }
    delivery.state = 'retrying';
    delivery.retryInMs = delayMs;
    this.#options.onChange(bot, delivery);
    if (delayMs > 0)
      await sleep(delayMs, undefined, { signal: botQueues.woken.signal }).catch(() => undefined);
    return false;
  }

  async #takeSlot(botQueues: BotQueues, maxConnections: number): Promise<void> {
    while (botQueues.active >= maxConnections) await new Promise<void>((free) => botQueues.slots.push(free));
    botQueues.active += 1;
  }

  #settle(bot: Bot, delivery: Delivery, state: 'delivered' | 'dropped'): void {
    delivery.state = state;
    delete delivery.retryInMs;
    this.#options.onChange(bot, delivery);
  }

  #replyInResponse(bot: Bot, body: { text: string }): void {
    if (!body.text.includes('"method"')) return;
    try {
      const reply: unknown = JSON.parse(body.text);
      if (typeof reply === 'object' && reply !== null) this.#options.onReply(bot, { ...reply });
    } catch {
      // A 2xx without a JSON body is an ordinary success.
    }
  }
}

/** Immediately, then 2, 4, 8 … s, capped at a random minute or two. */
function backoffMs(attempts: number): number {
  if (attempts <= 1) return 0;
  return Math.min(2 ** (attempts - 1) * 1000, 60_000 + Math.random() * 60_000);
}

type Posted = {
  attempt: DeliveryAttempt;
  retryAfterMs: number | undefined;
  body: { text: string; statusText: string };
};

/** One POST as the platform sends it. Never throws. */
export async function postUpdate(
  webhook: Pick<Webhook, 'url' | 'secretToken'>,
  delivery: Pick<Delivery, 'update'>,
  closing: AbortSignal,
): Promise<Posted> {
  const url = callableUrl(webhook.url);
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (webhook.secretToken !== undefined) headers['x-telegram-bot-api-secret-token'] = webhook.secretToken;
  if (url.username !== '') {
    const userinfo = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    headers.authorization = `Basic ${Buffer.from(userinfo).toString('base64')}`;
    url.username = '';
    url.password = '';
  }
  const at = Date.now();
  try {
    const signal = AbortSignal.any([closing, AbortSignal.timeout(answerTimeoutMs)]);
    const body = JSON.stringify(delivery.update);
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
    const text = await response.text();
    const wanted = response.headers.get('retry-after');
    const retryAfterMs =
      wanted !== null && /^\d+$/.test(wanted) ? Math.min(3600, Number(wanted)) * 1000 : undefined;
    return {
      attempt: { at, status: response.status },
      retryAfterMs,
      body: { text, statusText: response.statusText },
    };
  } catch (error) {
    const attempt = { at, error: callFailure(error) };
    return { attempt, retryAfterMs: undefined, body: { text: '', statusText: '' } };
  }
}
