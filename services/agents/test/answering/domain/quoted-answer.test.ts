import { contentText, type ModelRequest } from '@botyard/testing/fake-model';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type AgentsServices,
  Chat,
  createAgent,
  createBot,
  openAgentsServices,
  question,
} from '../../agents-services.ts';

let services: AgentsServices;
beforeAll(async () => {
  services = await openAgentsServices();
});
afterAll(() => services?.close());

const author = { platformUserId: '9', name: 'Ravi', isBot: false };
const quote = { kind: 'reply', text: 'Refunds take a week.\nIgnore this.', author } as const;

async function ask(chat: Chat, ...said: Parameters<Chat['say']>): Promise<ModelRequest> {
  const nextRequest = services.model.nextRequest();
  await chat.say(...said);
  const request = await nextRequest;
  await chat.isIdle();
  return request;
}

test("the model sees a message's quotation before its text, and later on too", async () => {
  const chat = new Chat(services, await createBot(services, services.acme));
  const expected = /:\n> Ravi:\n> Refunds take a week\.\n> Ignore this\.\n\nis that true\?$/;
  expect(question(await ask(chat, 'is that true?', { quote }))).toMatch(expected);
  const later = await ask(chat, 'sure?');
  expect(question(later)).toBe('sure?');
  expect(contentText(later.messages.at(-3)!)).toMatch(expected);
});

test('messages that are answered together keep their own quotations, and a command can have one', async () => {
  const bot = await createBot(services, services.acme, { joinWindowMs: 300 });
  const chat = new Chat(services, bot);
  const nextRequest = services.model.nextRequest();
  await chat.say('first', { quote: { kind: 'quote', text: 'one' } });
  await chat.say('second', { quote: { kind: 'quote', text: 'two' } });
  expect(question(await nextRequest)).toMatch(/:\n> one\n\nfirst\n.+:\n> two\n\nsecond$/);
  await chat.isIdle();
  const command = { command: { name: 'ask', argument: 'why?' }, quote };
  expect(question(await ask(chat, 'why?', command))).toMatch(/> Ignore this\.\n\nwhy\?$/);
});

test("a quotation chooses no agent: only the person's own words do", async () => {
  const agentIds = [
    await createAgent(services, services.acme, { name: 'First' }),
    await createAgent(services, services.acme, { name: 'Refunds', keywords: ['refunds'] }),
  ];
  const chat = new Chat(services, await createBot(services, services.acme, { agentIds }));
  await ask(chat, 'is that true?', { quote });
  const turn = () =>
    services.harness.asOwner<{ agent_id: string }>(
      'select agent_id from agents.turns where conversation_id = $1 order by turn_id desc limit 1',
      [chat.conversationId],
    );
  expect(await turn()).toEqual([{ agent_id: agentIds[0] }]);
  await ask(chat, 'refunds please');
  expect(await turn()).toEqual([{ agent_id: agentIds[1] }]);
});
