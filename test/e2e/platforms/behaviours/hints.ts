import { randomUUID } from 'node:crypto';
import { eventually } from '@botyard/testing/eventually';
import type { Person } from '@botyard/testing/platforms/driver';
import { expect } from 'vitest';
import type { Behaviour, Channel } from '../rig.ts';

const words = Array.from({ length: 40 }, (_, index) => `word${index}`);
const answer = words.join(' ');
const pauseMs = 100;

/** A person whose question the model answers word by word. */
interface Asked {
  person: Person;
  text: string;
  /** The previews of this answer until now. */
  seen(): readonly (string | null)[];
}

/** Asks, and acts once the beginning of the answer is shown. Afterwards the model answers at once again. */
async function whileShown(
  channel: Channel,
  act: (asked: Asked) => Promise<void>,
  { failsAfter }: { failsAfter?: number } = {},
): Promise<void> {
  const { bot, system, every } = channel;
  const person = bot.newPerson('Anna');
  await channel.ask({ person, text: 'hello' });
  const before = bot.previewsSeen!(person).length;
  const text = `tell me ${randomUUID()}`;
  system.model.replyWith(answer);
  system.model.delayWordsMs(pauseMs);
  if (failsAfter) system.model.failNextAfter(failsAfter);
  try {
    await channel.write({ person, text });
    const seen = () => bot.previewsSeen!(person).slice(before);
    await eventually('the beginning of the answer is shown', () => seen().length > 0);
    await act({ person, text, seen });
  } finally {
    system.model.delayWordsMs(0);
    every.repeatQuestions();
  }
}

const isWithdrawn = ({ seen }: Asked) =>
  eventually('what was shown is withdrawn', () => seen().at(-1) === null);

export const hints: readonly Behaviour[] = [
  {
    name: 'a person sees that the bot is typing while the model thinks',
    needs: 'typing',
    run: async (channel) => {
      const { bot, system } = channel;
      const person = bot.newPerson('Anna');
      await channel.ask({ person, text: 'hello' });
      const before = bot.typingSeen!(person);
      system.model.hang();
      await channel.write({ person, text: 'think' });
      await eventually('the bot is typing', () => bot.typingSeen!(person) > before);
      system.model.release();
      await channel.isSent(person, 'think');
    },
  },
  {
    name: 'a person sees that the bot has read their message',
    needs: 'readMarks',
    run: async (channel) => {
      const { bot, system } = channel;
      system.model.hang();
      const text = `read me ${randomUUID()}`;
      const person = bot.newPerson('Anna');
      const written = await channel.write({ person, text });
      await eventually('it is read', () => bot.isRead!(written));
      system.model.release();
      await channel.isSent(person, text);
    },
  },
  {
    name: 'an answer is shown while it is written, and the whole one replaces it',
    needs: 'previews',
    run: (channel) =>
      whileShown(channel, async ({ person, seen }) => {
        const text = await channel.isSent(person, words.at(-1)!);
        expect(text).toBe(answer);
        for (const preview of seen()) expect(answer.startsWith(preview ?? '')).toBe(true);
      }),
  },
  {
    name: 'what was shown is withdrawn when the model fails, and the answer of the next attempt arrives whole and once',
    needs: 'previews',
    run: (channel) =>
      whileShown(
        channel,
        async (asked) => {
          await eventually('what was shown is withdrawn', () => asked.seen().includes(null));
          expect(await channel.isSent(asked.person, words.at(-1)!)).toBe(answer);
          expect(channel.textsTo(asked.person)).toHaveLength(2);
        },
        { failsAfter: 10 },
      ),
  },
  {
    name: 'what was shown is withdrawn when a person of the tenant takes the chat over, and nothing of it is sent',
    needs: 'previews',
    run: (channel) =>
      whileShown(channel, async (asked) => {
        const { chatId } = await channel.chatWith(asked.text);
        await channel.api('POST', `/api/interactions/chats/${chatId}/takeover`, {});
        await isWithdrawn(asked);
        await channel.api('POST', `/api/interactions/chats/${chatId}/messages`, { text: 'Ben here' });
        await channel.isSent(asked.person, 'Ben here');
        expect(channel.textsTo(asked.person).filter((text) => text.includes('word'))).toEqual([]);
      }),
  },
  {
    name: 'nothing of an answer is sent before it is whole',
    lacks: 'previews',
    run: async (channel) => {
      const { bot, system, every } = channel;
      const person = bot.newPerson('Anna');
      await channel.ask({ person, text: 'hello' });
      system.model.replyWith(answer);
      system.model.delayWordsMs(pauseMs / 5);
      await channel.write({ person, text: 'tell me' });
      const text = await channel.isSent(person, words[0]!);
      system.model.delayWordsMs(0);
      every.repeatQuestions();
      expect(text).toContain(words.at(-1)!);
      expect(bot.sentTo(person)).toHaveLength(2);
    },
  },
];
