import { setTimeout as pause } from 'node:timers/promises';
import { within } from '@botyard/shared/work/within';
import { type FakeMessenger, startFakeMessenger } from '@botyard/testing/fake-messenger';
import { contentText, startFakeModel } from '@botyard/testing/fake-model';
import { HttpConnection } from './http-connection.ts';
import { summarize } from './latencies.ts';
import type { ConversationPlan, ConversationResult, Platforms } from './messages.ts';
import { updateRequest } from './requests.ts';

const lostAfterMs = 20_000;
/** Longer for a flood, whose messages are answered one after another. */
const floodLostAfterMs = 900_000;
/** How long to wait for an unexpected second answer. */
const lateMs = 1500;
const marker = /#(\d+)#/;

interface Asked {
  number: number;
  accepted: Promise<boolean>;
  answered: Promise<number[]>;
}

/**
 * Simulates people who write to bots and wait for the answers. The messenger and the model are the fakes that the tests
 * use.
 */
export class Conversations {
  readonly #waiting = new Map<number, () => void>();
  readonly #answers = new Map<number, number>();
  readonly #messenger: FakeMessenger;
  readonly platforms: Platforms;
  #strange: string[] = [];
  #lastNumber = 0;

  private constructor(messenger: FakeMessenger, modelUrl: string) {
    this.#messenger = messenger;
    this.platforms = { messengerUrl: messenger.url, modelUrl };
    messenger.subscribe((event) => {
      if (event.type === 'message' && event.entry.direction === 'out') this.#take(event.entry.text);
    });
  }

  static async start(): Promise<Conversations> {
    const messenger = await startFakeMessenger({ acceptAnyToken: true, limitsWebhookRate: false });
    const model = await startFakeModel({
      reply: ({ messages }) =>
        `You asked ${marker.exec(contentText(messages.at(-1)!))?.[0]}, and this is the answer.`,
    });
    return new Conversations(messenger, model.url);
  }

  /** Runs a plan. Several plans can run at the same time. */
  async run(plan: ConversationPlan): Promise<ConversationResult> {
    const latenciesMs: number[] = [];
    const questions: Asked[] = [];
    let left = plan.messages;
    const begin = performance.now();
    const person = async () => {
      const connection = new HttpConnection(plan.port);
      while (left > 0) {
        left -= 1;
        const one = this.#ask(connection, plan);
        questions.push(one);
        await one.accepted;
        if (!plan.isFlood) await one.answered;
      }
      connection.close();
    };
    await Promise.all(Array.from({ length: plan.inFlight }, person));
    for (const { answered } of questions) latenciesMs.push(...(await answered));
    const seconds = (performance.now() - begin) / 1000;
    await pause(lateMs);
    const accepted = (await Promise.all(questions.map((one) => one.accepted))).filter(Boolean).length;
    return { seconds, accepted, ...this.#count(questions), ...summarize(latenciesMs) };
  }

  #ask(
    connection: HttpConnection,
    { targets, chatsPerTarget, firstChat = 0, port, isFlood = false }: ConversationPlan,
  ): Asked {
    this.#lastNumber += 1;
    const number = this.#lastNumber;
    const target = targets[number % targets.length];
    if (!target) throw new Error('there is no bot to write to');
    const chat = firstChat + (Math.floor(number / targets.length) % chatsPerTarget);
    const request = updateRequest(target, `127.0.0.1:${port}`, {
      chatId: 6_600_000_000 + chat,
      text: `When does parcel #${number}# arrive?`,
    });
    const arrived = Promise.withResolvers<'answered'>();
    this.#waiting.set(number, () => arrived.resolve('answered'));
    const sentAt = performance.now();
    const accepted = connection.send(request).then((status) => status === 200);
    return { number, accepted, answered: this.#settled(arrived.promise, sentAt, isFlood) };
  }

  /** Returns the latency, or nothing if there was no answer. */
  async #settled(arrived: Promise<'answered'>, sentAt: number, isFlood: boolean): Promise<number[]> {
    const outcome = await within(isFlood ? floodLostAfterMs : lostAfterMs, arrived);
    return outcome ? [performance.now() - sentAt] : [];
  }

  #take(text: string): void {
    const number = Number(marker.exec(text)?.[1] ?? 0);
    if (number < 1 || number > this.#lastNumber) {
      this.#strange.push(text.slice(0, 200));
      return;
    }
    this.#answers.set(number, (this.#answers.get(number) ?? 0) + 1);
    this.#waiting.get(number)?.();
  }

  #count(asked: readonly Asked[]): Pick<ConversationResult, 'answered' | 'lost' | 'duplicated' | 'strange'> {
    let [answered, lost, duplicated] = [0, 0, 0];
    for (const { number } of asked) {
      const count = this.#answers.get(number) ?? 0;
      if (count === 0) lost += 1;
      else answered += 1;
      if (count > 1) duplicated += 1;
      this.#waiting.delete(number);
    }
    const strange = this.#strange;
    this.#strange = [];
    this.#messenger.calls.clear();
    return { answered, lost, duplicated, strange };
  }
}
