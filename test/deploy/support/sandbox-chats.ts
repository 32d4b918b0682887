import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@botyard/testing/eventually';
import { z } from 'zod';
import { delayNotice } from '../../../services/agents/test/in-english.ts';

const botName = 'botyard_demo_bot';
const firstChat = 710_000_000;
const History = z.object({
  messages: z.array(z.object({ direction: z.enum(['in', 'out']), text: z.string() })),
});

/** Messages that were not answered exactly once, and people whose answers came in another order. */
export interface Verdict {
  lost: string[];
  twice: string[];
  /** Three times, or more often. */
  thrice: string[];
  misplaced: number[];
}

export const faultless: Verdict = { lost: [], twice: [], thrice: [], misplaced: [] };

/** The number of a person on the messenger, and of their private chat. */
export const userIdOf = (person: number): string => String(firstChat + person);

/** People who write to the demo bot over the sandbox's API, each message with a number of its own. */
export class SandboxChats {
  readonly #sandboxUrl: string;
  readonly #said: Map<number, string[]>;

  /** `said`: messages that people have written before. */
  constructor(sandboxUrl: string, said: readonly (readonly [person: number, texts: string[]])[] = []) {
    this.#sandboxUrl = sandboxUrl;
    this.#said = new Map(said);
  }

  /** Everything that each person has said so far. */
  get said(): [person: number, texts: string[]][] {
    return [...this.#said];
  }

  get count(): number {
    return [...this.#said.values()].reduce((sum, texts) => sum + texts.length, 0);
  }

  /** The `person` says the next thing in their private chat. */
  async say(person: number): Promise<void> {
    const texts = this.#said.get(person) ?? [];
    const text = `hello ${person}-${texts.length}`;
    const answer = await fetch(this.#messagesOf(person), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text, name: `Person ${person}` }),
    });
    if (!answer.ok) throw new Error(`the sandbox answered ${answer.status}: ${await answer.text()}`);
    this.#said.set(person, [...texts, text]);
  }

  /** One of `people` after another says something, every `everyMs`, until it is stopped. */
  keepTalking({ people, everyMs }: { people: number; everyMs: number }): { stop(): Promise<void> } {
    let isOver = false;
    const talk = async () => {
      for (let turn = 0; !isOver; turn += 1) {
        await this.say(turn % people);
        await pause(everyMs);
      }
    };
    const talking = talk();
    // The caller that stops the talk receives its failure.
    talking.catch(() => undefined);
    return {
      stop: async () => {
        isOver = true;
        await talking;
      },
    };
  }

  /** Waits until everything is answered; returns texts that were not answered exactly once, or out of order. */
  async settle(timeoutMs = 180_000): Promise<Verdict> {
    const people = [...this.#said];
    await eventually(
      'every message is answered',
      async () => {
        const missing = await Promise.all(
          people.map(async ([person, texts]) => {
            const answered = await this.#answered(person);
            return texts.every((text) => answered.includes(text));
          }),
        );
        return missing.every(Boolean);
      },
      { timeoutMs, everyMs: 250 },
    ).catch(() => undefined);
    const verdict: Verdict = { lost: [], twice: [], thrice: [], misplaced: [] };
    for (const [person, texts] of people) {
      // While people continue writing, there are answers to later messages.
      const answered = (await this.#answered(person)).filter((text) => texts.includes(text));
      verdict.lost.push(...texts.filter((text) => !answered.includes(text)));
      const copiesOf = (text: string) => answered.filter((other) => other === text).length;
      verdict.twice.push(...texts.filter((text) => copiesOf(text) === 2));
      verdict.thrice.push(...texts.filter((text) => copiesOf(text) > 2));
      const order = [...new Set(answered)].map((text) => texts.indexOf(text));
      if (order.some((place, index) => index > 0 && place < (order[index - 1] ?? 0)))
        verdict.misplaced.push(person);
    }
    return verdict;
  }

  /** How many answers the person got, those that were apologies included. Word that one takes longer is none. */
  async countAnswers(person: number): Promise<number> {
    return (await this.#answers(person)).filter((text) => text !== delayNotice).length;
  }

  /** The texts that the bot understood, in the order of its answers. */
  async #answered(person: number): Promise<string[]> {
    return (await this.#answers(person)).flatMap((text) => /understood: “([^”]+)”/.exec(text)?.[1] ?? []);
  }

  async #answers(person: number): Promise<string[]> {
    const { messages } = History.parse(await (await fetch(this.#messagesOf(person))).json());
    return messages.filter(({ direction }) => direction === 'out').map(({ text }) => text);
  }

  #messagesOf(person: number): string {
    return `${this.#sandboxUrl}/api/bots/${botName}/chats/${userIdOf(person)}/messages`;
  }
}
