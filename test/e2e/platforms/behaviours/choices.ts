import { randomUUID } from 'node:crypto';
import { eventually } from '@botyard/testing/eventually';
import type { Person } from '@botyard/testing/platforms/driver';
import { expect } from 'vitest';
import type { Behaviour, Channel } from '../rig.ts';

/** The agent's next answer has these words, and the choices under it. */
async function answerWithChoices(
  channel: Channel,
  { person, words, choices }: { person: Person; words: string; choices: string[] },
): Promise<string> {
  const { api, agentId, every } = channel;
  const { toolIds = [] } = await api<{ toolIds?: string[] }>('GET', `/api/definitions/agents/${agentId}`);
  if (toolIds.length === 0) {
    const tool = {
      name: 'offer_choices',
      description: 'Offers choices',
      kind: 'offer_choices',
      settings: {},
    };
    const { id } = await api<{ id: string }>('POST', '/api/definitions/tools', tool);
    await api('PUT', `/api/definitions/agents/${agentId}`, { toolIds: [id] });
  }
  const question = `shall we? ${randomUUID()}`;
  const toolCalls = [{ name: 'offer_choices', arguments: { choices } }];
  every.system.model.replyInTurn({ toolCalls }, words);
  await channel.write({ person, text: question });
  await channel.isSent(person, words);
  every.repeatQuestions();
  return question;
}

const newChoices = () => [
  `Yes ${randomUUID().slice(0, 8)}`,
  `<b>No</b> & *never* ${randomUUID().slice(0, 8)}`,
  `語${'語'.repeat(30)}${randomUUID().slice(0, 8)}`,
  'Later',
];

export const choices: readonly Behaviour[] = [
  {
    name: 'choices stand under an answer, and a pressed one is a message with its text, also later',
    needs: 'buttons',
    run: async (channel) => {
      const { bot } = channel;
      const person = bot.newPerson('Anna');
      const texts = newChoices();
      await answerWithChoices(channel, { person, words: 'Choose one', choices: texts });
      const sent = bot.sentTo(person).at(-1)!;
      expect(sent.buttons).toEqual(texts);
      for (const text of [texts[2]!, texts[1]!]) {
        await channel.accept(bot.press!(sent, text, person));
        await eventually('the press is a message', () => channel.asked(text) === 1);
      }
    },
  },
  {
    name: 'choices are a list at the end of an answer',
    lacks: 'buttons',
    run: async (channel) => {
      const { bot } = channel;
      const person = bot.newPerson('Anna');
      const texts = newChoices();
      await answerWithChoices(channel, { person, words: 'Choose one', choices: texts });
      const { text, buttons = [] } = bot.sentTo(person).at(-1)!;
      expect(buttons).toEqual([]);
      const shown = text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
      for (const choice of texts) expect(shown).toContain(choice);
    },
  },
];
