import { setTimeout as pause } from 'node:timers/promises';
import { type FakeMessenger, startFakeMessenger } from '@botyard/shared/testing/fake-messenger';
import { contentText, startFakeModel } from '@botyard/shared/testing/fake-model';
import { HttpConnection } from './http-connection.ts';
import { summarize } from './latencies.ts';
import type { ConversationPlan, ConversationResult, Platforms } from './messages.ts';
import { updateRequest } from './requests.ts';

const lostAfterMs = 20_000;
/** How long a second answer is waited for. */
const lateMs = 1500;
const marker = /#(\d+)#/;

/** People who write to bots and wait for the answer; the messenger and the model are the same small fakes that the tests use. */
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

  async run(plan: ConversationPlan): Promise<ConversationResult> {
    const latenciesMs: number[] = [];
    const first = this.#lastNumber + 1;
    let left = plan.messages;
    let accepted = 0;
    const begin = performance.now();
    const person = async () => {
      const connection = new HttpConnection(plan.port);
      while (left > 0) {
        left -= 1;
        const asked = await this.#ask(connection, plan);
        accepted += asked.isAccepted ? 1 : 0;
        if (asked.latencyMs !== undefined) latenciesMs.push(asked.latencyMs);
      }
      connection.close();
    };
    await Promise.all(Array.from({ length: plan.inFlight }, person));
    const seconds = (performance.now() - begin) / 1000;
    await pause(lateMs);
    return { seconds, accepted, ...this.#countSince(first), ...summarize(latenciesMs) };
  }

  async #ask(
    connection: HttpConnection,
    plan: ConversationPlan,
  ): Promise<{ isAccepted: boolean; latencyMs?: number }> {
    const { targets, chatsPerTarget, port } = plan;
    this.#lastNumber += 1;
    const number = this.#lastNumber;
    const target = targets[number % targets.length];
    if (!target) throw new Error('there is no bot to write to');
    const chatId = 6_600_000_000 + (Math.floor(number / targets.length) % chatsPerTarget);
    const answered = Promise.withResolvers<'answered'>();
    this.#waiting.set(number, () => answered.resolve('answered'));
    const request = updateRequest(target, `127.0.0.1:${port}`, {
      chatId,
      text: `When does parcel #${number}# arrive?`,
    });
    const timer = new AbortController();
    const sentAt = performance.now();
    const status = connection.send(request);
    const outcome = await Promise.race([
      answered.promise,
      pause(lostAfterMs, 'lost' as const, { signal: timer.signal }).catch(() => 'lost' as const),
    ]);
    const latencyMs = performance.now() - sentAt;
    timer.abort();
    this.#waiting.delete(number);
    const isAccepted = (await status) === 200;
    return outcome === 'answered' ? { isAccepted, latencyMs } : { isAccepted };
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

  #countSince(first: number): Pick<ConversationResult, 'answered' | 'lost' | 'duplicated' | 'strange'> {
    let [answered, lost, duplicated] = [0, 0, 0];
    for (let number = first; number <= this.#lastNumber; number += 1) {
      const count = this.#answers.get(number) ?? 0;
      if (count === 0) lost += 1;
      else answered += 1;
      if (count > 1) duplicated += 1;
    }
    const strange = this.#strange;
    this.#strange = [];
    this.#messenger.calls.clear();
    return { answered, lost, duplicated, strange };
  }
}
