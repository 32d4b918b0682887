import { randomUUID } from 'node:crypto';
import { type ChatPreview, chatPreview } from '@botyard/contracts/events/chat-hints';
import { listenInEveryInstance } from '@botyard/shared/bus/signals';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type AgentsServices,
  Chat,
  createBot,
  openAgentsServices,
  type TestBot,
} from '../../agents-services.ts';

let services: AgentsServices;
let bot: TestBot;
const previews: ChatPreview[] = [];

beforeAll(async () => {
  services = await openAgentsServices({}, { chunkDelayMs: 100 });
  bot = await createBot(services, services.acme);
  listenInEveryInstance(await services.harness.busAs('webhooks'), chatPreview, (one) => previews.push(one));
});
afterAll(() => services?.close());

/** Says it in a chat of a platform, and returns the answer with the previews that came before it. */
async function ask(platform: 'webchat' | 'messenger') {
  const visitor = { platformUserId: randomUUID(), name: 'Visitor' };
  const place = { platformChatId: visitor.platformUserId, kind: 'private', title: 'Visitor' } as const;
  const chat = new Chat(services, bot);
  await chat.say('When do you open?', { platform, sender: visitor, chat: place });
  const [answer] = await chat.answers(1);
  return { answer, shown: () => previews.filter((one) => one.chat.platformChatId === place.platformChatId) };
}

test('where the platform can, an answer is shown while it is written, without thoughts, and then sent as a whole', async () => {
  services.model.replyWith('<think>She wants hours.</think>We open at nine, every day of the week.');
  const { answer, shown } = await ask('webchat');
  expect(answer).toBe('We open at nine, every day of the week.');
  await eventually('a preview', () => shown().length > 0);
  for (const { text } of shown()) expect(answer).toContain(text ?? '');
});

test('elsewhere nothing is shown before the answer', async () => {
  services.model.replyWith('We open at nine, every day of the week.');
  const { answer, shown } = await ask('messenger');
  expect(answer).toBe('We open at nine, every day of the week.');
  expect(shown()).toEqual([]);
});
