import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConnectedBot, type Process, TestSystem } from '../rig/test-system.ts';
import { allSettled, textsOf } from './sends.ts';

const firstChat = 7000;
const timeoutMs = 300_000;

let system: TestSystem;
let agents: Process;
let bot: ConnectedBot;

beforeAll(async () => {
  system = await TestSystem.open();
  agents = await system.startAgents();
});
afterAll(() => system?.close());

const callOk = async (method: string, path: string, body: object | undefined, status: number) => {
  const answer = await agents.call(method, path, { as: system.people.admin, ...(body ? { body } : {}) });
  expect([path, answer.status]).toEqual([path, status]);
  return answer.body;
};

test(
  "F-83: a person's message into a chat while webhooks is killed arrives once, in its order, behind waiting ones",
  async () => {
    let webhooks = await system.startWebhooks();
    bot = await system.createBot(agents);
    await system.say(webhooks, bot, { chat: firstChat, number: 1 });
    await system.answered();
    const [{ chatId }] = await callOk('GET', `/api/interactions/chats?botId=${bot.botId}`, undefined, 200);
    const path = `/api/interactions/chats/${chatId}`;
    await callOk('POST', `${path}/takeover`, {}, 200);
    const texts = Array.from({ length: 6 }, (_, index) => `part ${index + 1} by Mary`);
    for (const [index, text] of texts.entries()) {
      if (index === 2) {
        webhooks.signal('SIGKILL');
        await webhooks.ended;
      }
      await callOk('POST', `${path}/messages`, { text }, 201);
    }
    webhooks = await system.startWebhooks();
    await eventually('all have arrived', () => textsOf(system, firstChat).length > texts.length, {
      timeoutMs,
    });
    await allSettled(system, { replies: texts.length + 1 });
    const [, ...arrived] = textsOf(system, firstChat);
    // A message that was being sent at the moment of the kill may have arrived or not: it may be there twice.
    const uncertain = await system.harness.asOwner<{ text: string }>(
      'select plain as text from webhooks.parts where is_uncertain',
    );
    const once = arrived.filter((text, index) => text !== arrived[index - 1]);
    expect(once).toEqual(texts);
    expect(arrived.length - once.length).toBeLessThanOrEqual(uncertain.length);
  },
  timeoutMs,
);
