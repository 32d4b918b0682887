import { setInterval as every, setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@botyard/testing/eventually';
import type { FakeMessenger } from '@botyard/testing/fake-messenger';
import { History, numbered } from './history.ts';

/** The platform's record of a delivery. */
export interface DeliveryResult {
  /** 0: no answer. */
  status: number;
  retryAfter?: string | null;
}

export const unanswered: DeliveryResult = { status: 0 };

/** A delivery that was not taken; the platform brings it again, as it does here. */
export interface Refusal extends DeliveryResult {
  tookMs: number;
}

/** The chats and the rate of messages. */
export interface LoadProfile {
  chats: number;
  /** Default 1. Generators that write to the same bots need other chats. */
  firstChat?: number;
  /** Total over all chats. */
  messagesPerSecond: number;
  /**
   * Limit of messages that wait for their answers; writing pauses above it. Defaults to the messages of 20 s, which
   * is longer than an election takes.
   */
  maxWaiting?: number;
}

export interface LoadGeneratorOptions extends LoadProfile {
  messenger: FakeMessenger;
  /** Posts an update of a chat as the platform does. Never rejects. */
  deliver(chat: number, update: object): Promise<DeliveryResult>;
}

const maxWaitingSeconds = 20;
/** The platform waits longer with each try, here less long than the real one. */
const firstPauseMs = 50;
const longestPauseMs = 1000;
const givesUpAfterMs = 300_000;

/** Writes at a steady rate, whatever the outcome; a chat's next message is posted when its last was accepted. */
export class LoadGenerator {
  readonly history = new History();
  readonly refusals: Refusal[] = [];
  acceptedCount = 0;
  slowestDeliveryMs = 0;
  /** From its delivery on. */
  slowestAnswerMs = 0;
  readonly #options: LoadGeneratorOptions;
  readonly #lastSends = new Map<number, Promise<void>>();
  readonly #lastNumbers = new Map<number, number>();
  readonly #answeredAt: number[] = [];
  readonly #askedAt = new Map<string, number>();
  readonly #stopping = new AbortController();
  #sending: Promise<void> | undefined;
  #isPaused = false;

  constructor(options: LoadGeneratorOptions) {
    this.#options = options;
    options.messenger.subscribe((event) => {
      if (event.type !== 'message' || event.entry.direction !== 'out') return;
      const now = performance.now();
      const question = event.entry.text.replace(/^re: /, '');
      this.#answeredAt.push(now);
      this.slowestAnswerMs = Math.max(this.slowestAnswerMs, now - (this.#askedAt.get(question) ?? now));
      this.history.answer(event.entry.text);
    });
  }

  start(): void {
    this.#sending = this.#sendAtRate();
  }

  /** Starts no more messages. Resolves when all that were started are accepted. */
  async stopSending(): Promise<void> {
    this.#stopping.abort();
    await this.#sending;
    await Promise.all(this.#lastSends.values());
  }

  /** Resolves when every accepted message is answered. */
  async stop({ timeoutMs = 120_000 } = {}): Promise<void> {
    await this.stopSending();
    await this.history.completed({ timeoutMs });
  }

  /** Resolves when this many more have been answered. */
  async untilAnswered(more: number): Promise<void> {
    const wanted = this.history.answerCount + more;
    await eventually(`${more} more answers`, () => this.history.answerCount >= wanted);
  }

  /** Resolves when this many more have been accepted than had been. */
  async untilAccepted(more: number, before: number): Promise<void> {
    await eventually(`${more} more are accepted`, () => this.acceptedCount >= before + more, {
      timeoutMs: 120_000,
    });
  }

  /** Pauses until all are answered: a backlog would hide a silence. Resolves when the rate is reached again. */
  async catchUp(): Promise<void> {
    this.#isPaused = true;
    await eventually('every message is answered', () => this.history.waitingCount === 0);
    this.#isPaused = false;
    await this.untilAnswered(this.#options.messagesPerSecond);
  }

  /** The longest time without an answer in any chat, between these moments. */
  longestSilenceMs(fromMs: number, toMs: number): number {
    const moments = [fromMs, ...this.#answeredAt.filter((at) => at > fromMs && at < toMs), toMs];
    return Math.round(Math.max(...moments.slice(1).map((at, index) => at - moments[index]!)));
  }

  /** Sends one message in every chat at once, in addition to the rate. */
  sendBurst(): void {
    const { chats, firstChat = 1 } = this.#options;
    for (let chat = firstChat; chat < firstChat + chats; chat += 1) this.#enqueue(chat);
  }

  async #sendAtRate(): Promise<void> {
    const { chats, firstChat = 1, messagesPerSecond } = this.#options;
    const { maxWaiting = maxWaitingSeconds * messagesPerSecond } = this.#options;
    let count = 0;
    try {
      for await (const _ of every(1000 / messagesPerSecond, null, { signal: this.#stopping.signal })) {
        // On a machine that is too busy for the rate the backlog would grow without end.
        if (this.#isPaused || this.history.waitingCount > maxWaiting) continue;
        this.#enqueue(firstChat + (count % chats));
        count += 1;
      }
    } catch (error) {
      if (!this.#stopping.signal.aborted) throw error;
    }
  }

  #enqueue(chat: number): void {
    const number = 1 + (this.#lastNumbers.get(chat) ?? 0);
    this.#lastNumbers.set(chat, number);
    const before = this.#lastSends.get(chat) ?? Promise.resolve();
    this.#lastSends.set(
      chat,
      before.then(() => this.#send(chat, number)),
    );
  }

  async #send(chat: number, number: number): Promise<void> {
    const text = numbered(String(chat), number);
    const update = updateOf(chat, chat * 100_000 + number, text);
    this.#askedAt.set(text, performance.now());
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      const beganAt = performance.now();
      const delivered = await this.#options.deliver(chat, update);
      const tookMs = Math.round(performance.now() - beganAt);
      this.slowestDeliveryMs = Math.max(this.slowestDeliveryMs, tookMs);
      if (delivered.status === 200) break;
      this.refusals.push({ ...delivered, tookMs });
      if (performance.now() - this.#askedAt.get(text)! > givesUpAfterMs)
        throw new Error(`${text} was never accepted`);
      await pause(pauseMs);
    }
    this.acceptedCount += 1;
    this.history.accept(String(chat), number);
  }
}

/** A person's text in a private chat. */
export const updateOf = (chat: number, updateId: number, text: string) => ({
  update_id: updateId,
  message: {
    message_id: updateId,
    from: { id: chat, is_bot: false, first_name: 'Anna' },
    chat: { id: chat, type: 'private', first_name: 'Anna' },
    date: 1_795_200_000,
    text,
  },
});
