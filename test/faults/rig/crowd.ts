import { setInterval as every } from 'node:timers/promises';
import { eventually } from '@botyard/shared/testing/eventually';
import type { DemoTenant } from '../../e2e/demo-tenant.ts';
import { History, numbered } from './history.ts';
import { updateOf } from './town.ts';
import type { WholeTown } from './whole-town.ts';

export interface CrowdOptions {
  town: WholeTown;
  tenants: readonly DemoTenant[];
  chats: number;
  /** Of all chats together. */
  messagesPerSecond: number;
}

/** More than an election takes. */
const mostWaitingSeconds = 20;

/** People who write at a steady pace, whatever becomes of their messages, each the next when the last was taken. */
export class Crowd {
  readonly history = new History();
  /** Deliveries that were not answered with 200 at once; the platform brings them again, as it does here. */
  readonly refusals: number[] = [];
  slowestDeliveryMs = 0;
  /** From its delivery on. */
  slowestAnswerMs = 0;
  readonly #options: CrowdOptions;
  readonly #turns = new Map<number, Promise<void>>();
  readonly #answeredAt: number[] = [];
  readonly #askedAt = new Map<string, number>();
  readonly #stopping = new AbortController();
  #talking: Promise<void> | undefined;
  #isHolding = false;

  constructor(options: CrowdOptions) {
    this.#options = options;
    options.town.messenger.subscribe((event) => {
      if (event.type !== 'message' || event.entry.direction !== 'out') return;
      const now = performance.now();
      const asked = event.entry.text.replace(/^re: /, '');
      this.#answeredAt.push(now);
      this.slowestAnswerMs = Math.max(this.slowestAnswerMs, now - (this.#askedAt.get(asked) ?? now));
      this.history.answer(event.entry.text);
    });
  }

  start(): void {
    this.#talking = this.#talk();
  }

  /** Resolves when all that was accepted is answered. */
  async stop({ timeoutMs = 120_000 } = {}): Promise<void> {
    this.#stopping.abort();
    await this.#talking;
    await Promise.all(this.#turns.values());
    await eventually('every message is answered', () => this.history.isComplete, { timeoutMs }).catch(
      (error: Error) => {
        throw new Error(`${error.message}: ${JSON.stringify(this.history.verdict())}`);
      },
    );
  }

  /** Resolves when this many more have been answered. */
  async hears(more: number): Promise<void> {
    const wanted = this.history.answerCount + more;
    await eventually(`${more} more answers`, () => this.history.answerCount >= wanted, {
      timeoutMs: 120_000,
    });
  }

  /** Holds its breath until all are answered: a backlog would hide a silence. Resolves when it is at its pace again. */
  async catchesUp(): Promise<void> {
    this.#isHolding = true;
    await eventually('everybody is answered', () => this.history.waitingCount === 0, { timeoutMs: 120_000 });
    this.#isHolding = false;
    await this.hears(this.#options.messagesPerSecond);
  }

  /** The longest time without an answer to anybody, between these moments. */
  longestSilenceMs(fromMs: number, toMs: number): number {
    const moments = [fromMs, ...this.#answeredAt.filter((at) => at > fromMs && at < toMs), toMs];
    return Math.round(Math.max(...moments.slice(1).map((at, index) => at - moments[index]!)));
  }

  async #talk(): Promise<void> {
    const { chats, messagesPerSecond } = this.#options;
    let count = 0;
    try {
      for await (const _ of every(1000 / messagesPerSecond, null, { signal: this.#stopping.signal })) {
        // On a machine that is too busy for the pace there would be no end of it.
        if (this.#isHolding || this.history.waitingCount > mostWaitingSeconds * messagesPerSecond) continue;
        const chat = 1 + (count % chats);
        const number = 1 + Math.floor(count / chats);
        const before = this.#turns.get(chat) ?? Promise.resolve();
        this.#turns.set(
          chat,
          before.then(() => this.#say(chat, number)),
        );
        count += 1;
      }
    } catch (error) {
      if (!this.#stopping.signal.aborted) throw error;
    }
  }

  async #say(chat: number, number: number): Promise<void> {
    const { town, tenants } = this.#options;
    const text = numbered(String(chat), number);
    const update = updateOf(chat, chat * 100_000 + number, text);
    this.#askedAt.set(text, performance.now());
    const deliver = async () => {
      const beganAt = performance.now();
      const status = await town.deliver(tenants[chat % tenants.length]!, update);
      this.slowestDeliveryMs = Math.max(this.slowestDeliveryMs, Math.round(performance.now() - beganAt));
      if (status !== 200) this.refusals.push(status);
      return status === 200;
    };
    await eventually(`${text} is accepted`, deliver, { timeoutMs: 60_000 });
    this.history.accept(String(chat), number);
  }
}
