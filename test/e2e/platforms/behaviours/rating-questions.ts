import { randomUUID } from 'node:crypto';
import { eventually } from '@botyard/testing/eventually';
import { expect } from 'vitest';
import type { Behaviour } from '../rig.ts';

const question = 'Did that help you?';
const [yes, no] = ['👍 Yes', '👎 No'];

export const ratingQuestions: readonly Behaviour[] = [
  {
    name: 'ten minutes after an answer the bot asks if it helped: a pressed choice rates it, and no agent sees it',
    needs: 'buttons',
    run: async (channel) => {
      const { bot, api, system, tenantId, botId } = channel;
      await api('PUT', `/api/bots/${tenantId}/${botId}`, { asksForRating: true });
      await eventually('the bot asks', async () => {
        const text = `select from agents.bots where bot_id = '${botId}' and asks_for_rating`;
        return (await system.asOwner(text)).length === 1;
      });
      const person = bot.newPerson('Anna');
      const text = `did it help? ${randomUUID()}`;
      await channel.ask({ person, text });
      const chat = await channel.chatWith(text);
      const answer = async () =>
        (await channel.messagesIn(chat)).find(({ text: said }) => said === `Answer: ${text}`);
      await eventually('the answer has arrived', async () => (await answer())?.status === 'sent');
      await system.asOwner(
        `update agents.rating_questions set ready_at = now() where chat_id = '${chat.chatId}'`,
      );
      await channel.isSent(person, question);
      const sent = bot.sentTo(person).at(-1)!;
      expect(sent.buttons).toEqual([yes, no]);
      for (const [label, rating] of [
        [yes, 'up'],
        [no, 'down'],
      ] as const) {
        await channel.accept(bot.press!(sent, label!, person));
        await eventually(`the inbox shows ${rating}`, async () => (await answer())?.rating === rating);
      }
      expect([channel.asked(yes!), channel.asked(no!)]).toEqual([0, 0]);
      await api('PUT', `/api/bots/${tenantId}/${botId}`, { asksForRating: false });
    },
  },
];
