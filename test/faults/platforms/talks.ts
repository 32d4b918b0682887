import { randomUUID } from 'node:crypto';
import type { PlatformName } from '@botyard/contracts/http/platform';
import { eventually } from '@botyard/testing/eventually';
import type { Person, Saying } from '@botyard/testing/platforms/driver';
import type { Channel } from '../../e2e/platforms/rig.ts';

/** A person with what they write, one message after the other. */
interface Talk {
  channel: Channel;
  person: Person;
  texts: readonly string[];
}

/** The complaints that the people of a platform would have. */
export interface Verdict {
  messages: number;
  lost: number;
  twice: number;
  /** Sent again after a crash, and shown as uncertain. */
  'twice, marked': number;
  'out of order': number;
  /** Messages that the platform refused because they came too fast. */
  'too fast': number;
}

/** Writes until the message is accepted, as every platform does. */
async function insist(channel: Channel, saying: Saying): Promise<void> {
  const { bot, platform } = channel;
  const written = bot.write(saying);
  let { delivery } = written;
  const isAccepted = async () => {
    const answer = await channel.post(delivery).catch(() => undefined);
    if (answer?.status !== 200) {
      delivery = bot.repeat?.(delivery, written) ?? delivery;
      return false;
    }
    const instead = bot.answered?.(written, answer.text);
    if (instead) delivery = instead;
    return instead === undefined;
  };
  await eventually(`a delivery of ${platform} is accepted`, isAccepted, {
    timeoutMs: 180_000,
    everyMs: 250,
  });
}

/** Conversations of many people on several platforms at once, and the count of what became of them. */
export class Talks {
  readonly #channels: readonly Channel[];
  readonly #size: { people: number; messages: number };
  readonly #timeoutMs: number;
  readonly #talks: Talk[] = [];

  constructor(
    channels: readonly Channel[],
    { timeoutMs, ...size }: { people: number; messages: number; timeoutMs: number },
  ) {
    this.#channels = channels;
    this.#size = size;
    this.#timeoutMs = timeoutMs;
  }

  /** New people on every platform write at once, until everything that they wrote is accepted. */
  async wave(): Promise<void> {
    const talks = this.#channels.flatMap((channel) =>
      Array.from({ length: this.#size.people }, (_, index): Talk => {
        const texts = Array.from({ length: this.#size.messages }, (_one, at) => `m${at} ${randomUUID()}`);
        return { channel, person: channel.bot.newPerson(`Person${index}`), texts };
      }),
    );
    this.#talks.push(...talks);
    await Promise.all(talks.map((talk) => this.#hold(talk)));
  }

  /** Waits until every message is answered, or for the longest time that it may take. Returns the counts. */
  async verdicts(): Promise<Partial<Record<PlatformName, Verdict>>> {
    await eventually('every message is answered', () => this.#talks.every(isAnswered), {
      timeoutMs: this.#timeoutMs,
      everyMs: 250,
    }).catch(() => undefined);
    return Object.fromEntries(
      await Promise.all(
        this.#channels.map(async (channel) => [channel.platform, await this.#verdictOf(channel)]),
      ),
    );
  }

  /** Mail belongs to the conversation of the mail that it answers: the first answer is awaited, later ones aren't. */
  async #hold(talk: Talk): Promise<void> {
    const { channel, person, texts } = talk;
    for (const [index, text] of texts.entries()) {
      await insist(channel, { person, text });
      if (index > 0) continue;
      await eventually(`the first answer on ${channel.platform}`, () => placesOf(talk)[0]!.length > 0, {
        timeoutMs: this.#timeoutMs,
        everyMs: 100,
      });
    }
  }

  async #verdictOf(channel: Channel): Promise<Verdict> {
    const talks = this.#talks.filter((talk) => talk.channel === channel);
    const verdict: Verdict = {
      messages: talks.length * this.#size.messages,
      lost: 0,
      twice: 0,
      'twice, marked': 0,
      'out of order': 0,
      'too fast': channel.bot.tooFast(),
    };
    for (const talk of talks) {
      let lastPlace = -1;
      for (const [index, places] of placesOf(talk).entries()) {
        if (places.length === 0) verdict.lost += 1;
        if (places.some((place) => place < lastPlace)) verdict['out of order'] += 1;
        lastPlace = Math.max(lastPlace, ...places);
        if (places.length < 2) continue;
        const isMarked = await isUncertain(channel, talk.texts[index]!);
        verdict[isMarked ? 'twice, marked' : 'twice'] += 1;
      }
    }
    return verdict;
  }
}

/** The places at which the answers to a person's messages arrived, in the order of the messages. */
function placesOf({ channel, person, texts }: Talk): number[][] {
  const received = channel.textsTo(person);
  return texts.map((text) => received.flatMap((answer, place) => (answer.includes(text) ? [place] : [])));
}

const isAnswered = (talk: Talk): boolean => placesOf(talk).every((places) => places.length > 0);

async function isUncertain(channel: Channel, words: string): Promise<boolean> {
  const messages = await channel.messagesIn(await channel.chatWith(words));
  const answers = messages.filter(({ direction, text }) => direction === 'out' && text.includes(words));
  return answers.some((answer) => answer.isUncertain || answer.status === 'uncertain');
}
