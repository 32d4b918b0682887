import { randomUUID } from 'node:crypto';
import { eventually } from '@botyard/testing/eventually';
import { expect } from 'vitest';
import type { Behaviour } from '../rig.ts';

export const programs: readonly Behaviour[] = [
  {
    name: 'what a program writes is shown in the inbox with the reason, and gets no answer',
    needs: 'programs',
    run: async (channel) => {
      const { bot } = channel;
      const person = bot.newPerson('Anna');
      const [question, words] = [`question ${randomUUID()}`, `by a program ${randomUUID()}`];
      await channel.ask({ person, text: question });
      const chat = await channel.chatWith(question);
      const kinds = bot.answerByPrograms!(bot.sentTo(person).at(-1)!, person, words);
      for (const [kind, delivery] of Object.entries(kinds)) {
        const shown = async () =>
          (await channel.messagesIn(chat)).filter(({ text, isAutomatic }) => isAutomatic && text === words);
        const before = (await shown()).length;
        await channel.accept(delivery);
        const message = await eventually(`${kind} is ignored`, async () => {
          const newest = (await shown())[before];
          return newest?.status === 'ignored' && newest;
        });
        expect([kind, message.reason]).toEqual([kind, expect.stringMatching(/./)]);
      }
      await channel.ask({ person, text: 'later' });
      expect(channel.asked(words)).toBe(0);
      expect(bot.sentTo(person)).toHaveLength(2);
    },
  },
  {
    name: 'an answer that came back is shown as failed, with the reason, and the report gets no answer',
    needs: 'programs',
    run: async (channel) => {
      const { bot, system } = channel;
      const person = bot.newPerson('Anna');
      const [question, reason] = [`question ${randomUUID()}`, '550 5.1.1 no such mailbox'];
      await channel.ask({ person, text: question });
      const chat = await channel.chatWith(question);
      const requestsBefore = system.model.requests.count;
      await eventually('the answer is shown as sent', async () => {
        const answer = (await channel.messagesIn(chat)).find(({ direction }) => direction === 'out');
        return answer?.status === 'sent';
      });
      await channel.accept(bot.comeBack!(bot.sentTo(person).at(-1)!, person, reason));
      const receipt = await eventually('the inbox shows that it came back', async () => {
        const answer = (await channel.messagesIn(chat)).find(({ direction }) => direction === 'out');
        return answer?.receipt?.state === 'failed' && answer.receipt;
      });
      expect(receipt.reason).toContain(reason);
      // A mail from the person shows that the address works again.
      await channel.ask({ person, text: 'later' });
      expect(system.model.requests.count).toBe(requestsBefore + 1);
      expect(bot.sentTo(person)).toHaveLength(2);
    },
  },
];
