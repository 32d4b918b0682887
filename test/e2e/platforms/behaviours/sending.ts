import { randomUUID } from 'node:crypto';
import { eventually } from '@botyard/testing/eventually';
import { expect } from 'vitest';
import type { Behaviour } from '../rig.ts';

export const sending: readonly Behaviour[] = [
  {
    name: 'an answer longer than a message is sent in several, whole and in order, and the inbox knows the number of each',
    run: async (channel) => {
      const { bot, definition, system, every } = channel;
      const person = bot.newPerson('Anna');
      const units = Math.min(definition.limits.textLength * 1.2, 16_000);
      const words = Array.from({ length: units / 8 }, (_, index) => `w${String(index).padStart(6, '0')}`);
      system.model.replyWith(words.join(' '));
      const question = `tell me everything ${randomUUID()}`;
      await channel.write({ person, text: question });
      await channel.isSent(person, words.at(-1)!);
      every.repeatQuestions();
      const texts = channel.textsTo(person);
      expect(texts.flatMap((text) => text.match(/\bw\d{6}\b/g) ?? [])).toEqual(words);
      const chat = await channel.chatWith(question);
      const { messageId } = await eventually('the answer is known to be sent', async () => {
        const messages = await channel.messagesIn(chat);
        return messages.find(({ direction, status }) => direction === 'out' && status === 'sent');
      });
      const { platformMessageIds } = await channel.api<{ platformMessageIds: string[] }>(
        'GET',
        `/api/interactions/messages/${messageId}`,
      );
      // A mail's identifier stands in angle brackets, which belong to the header.
      const sentIds = bot.sentTo(person).map(({ id }) => id.replaceAll(/[<>]/g, ''));
      expect(platformMessageIds).toEqual(sentIds);
    },
  },
  {
    name: 'formatting arrives in the form of the platform',
    needs: 'formatting',
    run: async (channel) => {
      const { bot, system, every } = channel;
      const person = bot.newPerson('Anna');
      system.model.replyWith('Your parcel arrives **tomorrow**.');
      await channel.write({ person, text: 'when?' });
      const text = await channel.isSent(person, 'tomorrow');
      every.repeatQuestions();
      expect(text).toMatch(/<(b|strong)[^>]*>tomorrow<|\*tomorrow\*/);
    },
  },
  {
    name: 'an answer arrives as words, without marks of formatting',
    lacks: 'formatting',
    run: async (channel) => {
      const { bot, system, every } = channel;
      const person = bot.newPerson('Anna');
      const place = 'https://maps.example/a';
      system.model.replyWith(
        `Your *parcel* arrives **tomorrow** &amp; here:\n\n- [Depot](${place})\n- 2 \\* 3`,
      );
      await channel.write({ person, text: 'when?' });
      const text = await channel.isSent(person, 'tomorrow');
      every.repeatQuestions();
      expect(text).toBe(`Your parcel arrives tomorrow & here:\n\n• Depot (${place})\n• 2 * 3`);
    },
  },
  {
    name: 'when the platform asks to wait, the answer arrives afterwards, once',
    needs: 'rates',
    run: async (channel) => {
      const { bot } = channel;
      const person = bot.newPerson('Anna');
      bot.limit!();
      await channel.ask({ person, text: 'patience' });
      await channel.ask({ person, text: 'and later' });
      expect(bot.sentTo(person)).toHaveLength(2);
    },
  },
  {
    name: 'an answer of which it is unknown whether it arrived is sent at most twice, is uncertain, and the next one arrives once',
    needs: 'rates',
    run: async (channel) => {
      const { bot } = channel;
      const person = bot.newPerson('Anna');
      const [unclear, next] = [`unclear ${randomUUID()}`, `next ${randomUUID()}`];
      bot.loseAnswer!();
      await channel.write({ person, text: unclear });
      await channel.isSent(person, unclear);
      const chat = await channel.chatWith(unclear);
      await eventually('it is uncertain', async () => {
        const messages = await channel.messagesIn(chat);
        return messages.some(({ status, isUncertain }) => isUncertain || status === 'uncertain');
      });
      await channel.ask({ person, text: next });
      const texts = channel.textsTo(person);
      expect(texts.filter((text) => text.includes(unclear)).length).toBeLessThanOrEqual(2);
      expect(texts.filter((text) => text.includes(next))).toHaveLength(1);
    },
  },
  {
    name: 'the inbox shows what the platform reports about an answer: delivered, read if it reports that, or failed with the reason',
    needs: 'statuses',
    run: async (channel) => {
      const { bot } = channel;
      const person = bot.newPerson('Anna');
      const [text, lost] = [`report ${randomUUID()}`, `lost ${randomUUID()}`];
      const states = {
        [text]: channel.can('reads') ? (['delivered', 'read'] as const) : (['delivered'] as const),
        [lost]: ['failed'] as const,
      };
      for (const [words, reported] of Object.entries(states)) {
        await channel.ask({ person, text: words });
        const chat = await channel.chatWith(words);
        const answer = async () =>
          (await channel.messagesIn(chat)).findLast(({ direction }) => direction === 'out');
        await eventually('it is known to be sent', async () => {
          const message = await answer();
          return message?.text.includes(words) && message.status === 'sent';
        });
        for (const state of reported) {
          await channel.accept(bot.report!(bot.sentTo(person).at(-1)!, state, person));
          const receipt = await eventually(`it is ${state}`, async () => {
            const message = await answer();
            return message?.receipt?.state === state && message.receipt;
          });
          if (state === 'failed') expect(receipt.reason).toEqual(expect.any(String));
        }
      }
    },
  },
  {
    name: 'the inbox shows that a person has read an answer',
    needs: 'reads',
    run: async (channel) => {
      const { bot } = channel;
      const person = bot.newPerson('Anna');
      const text = `read ${randomUUID()}`;
      await channel.ask({ person, text });
      const chat = await channel.chatWith(text);
      const answer = async () =>
        (await channel.messagesIn(chat)).find(
          (message) => message.direction === 'out' && message.text.includes(text),
        );
      await eventually('it is known to be sent', async () => (await answer())?.status === 'sent');
      await channel.accept(bot.read!(bot.sentTo(person).at(-1)!, person));
      await eventually('it is read', async () => (await answer())?.receipt?.state === 'read');
    },
  },
  {
    name: 'a burst of answers keeps the pace of the platform: none is refused as too fast',
    run: async (channel) => {
      const { bot } = channel;
      const person = bot.newPerson('Anna');
      const text = `hello ${randomUUID()}`;
      await channel.ask({ person, text });
      const chat = await channel.chatWith(text);
      await channel.api('POST', `/api/interactions/chats/${chat.chatId}/takeover`, {});
      const lines = Array.from({ length: 6 }, (_, index) => `line ${index}`);
      const before = bot.tooFast();
      for (const line of lines)
        await channel.api('POST', `/api/interactions/chats/${chat.chatId}/messages`, { text: line });
      await channel.isSent(person, 'line 5');
      expect(bot.tooFast()).toBe(before);
      expect(
        channel
          .textsTo(person)
          .join(' ')
          .match(/line \d/g),
      ).toEqual(expect.arrayContaining(lines));
    },
  },
  {
    name: 'a place that refuses messages is blocked, with the reason of the platform',
    needs: 'blocks',
    run: async (channel) => {
      const { bot } = channel;
      const person = bot.newPerson('Anna');
      const [first, second] = [`first ${randomUUID()}`, `second ${randomUUID()}`];
      await channel.ask({ person, text: first });
      bot.block!(person);
      await channel.write({ person, text: second });
      const blocked = await eventually('the chat is blocked', async () => {
        const chat = await channel.chatWith(first);
        return chat.blockedReason !== undefined && chat;
      });
      expect(blocked.blockedReason).not.toBe('');
      expect(bot.sentTo(person)).toHaveLength(1);
    },
  },
  {
    name: 'a place that accepts messages again is answered when its person writes, and is blocked no more',
    needs: 'blocks',
    run: async (channel) => {
      const { bot } = channel;
      const person = bot.newPerson('Anna');
      const [first, missed, back] = ['first', 'missed', 'back'].map((word) => `${word} ${randomUUID()}`);
      await channel.ask({ person, text: first! });
      bot.block!(person);
      await channel.write({ person, text: missed! });
      await eventually('the chat is blocked', async () => (await channel.chatWith(first!)).blockedReason);
      bot.unblock!(person);
      await channel.ask({ person, text: back! });
      const chat = await channel.chatWith(first!);
      expect(chat.blockedReason).toBeUndefined();
      expect(chat.state).not.toBe('blocked');
    },
  },
  {
    name: 'an answer whose sender is killed before it is noted is sent at most twice, is uncertain, and the next one arrives once',
    needs: 'rates',
    run: async (channel) => {
      const { bot, system } = channel;
      const person = bot.newPerson('Anna');
      const [unclear, next] = [`unclear ${randomUUID()}`, `next ${randomUUID()}`];
      await channel.ask({ person, text: 'hello' });
      const held = bot.holdSends!(unclear);
      await channel.write({ person, text: unclear });
      await eventually('the platform has the answer', () => held.count() > 0);
      await system.kill('webhooks');
      held.letGo();
      await system.healthy();
      await channel.ask({ person, text: next });
      const chat = await channel.chatWith(unclear);
      await eventually('it is uncertain', async () => {
        const answers = (await channel.messagesIn(chat)).filter(({ direction }) => direction === 'out');
        return answers.some(
          ({ text, status, isUncertain }) =>
            text.includes(unclear) && (isUncertain || status === 'uncertain'),
        );
      });
      const texts = channel.textsTo(person);
      expect(texts.filter((text) => text.includes(unclear)).length).toBeLessThanOrEqual(2);
      expect(texts.filter((text) => text.includes(next))).toHaveLength(1);
    },
  },
];
