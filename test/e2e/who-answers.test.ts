import { eventually } from '@botyard/testing/eventually';
import { contentText } from '@botyard/testing/fake-model';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDemoTenant, type DemoTenant } from './demo-tenant.ts';
import { System } from './system.ts';

let system: System;
let demo: DemoTenant;
let specialist: string;

beforeAll(async () => {
  system = await System.start();
  demo = await createDemoTenant(system);
  const { id } = await system.api<{ id: string }>('POST', '/api/definitions/agents', {
    body: { name: 'Specialist', instructions: 'Specialist', provider: 'private-llm', model: 'fake' },
  });
  specialist = id;
  system.model.replyWith(({ messages }) => `${contentText(messages[0]!)} ${contentText(messages.at(-1)!)}`);
});
afterAll(() => system.stop());

const chatId = -1_002_233_445_566;
let nextUpdate = 5000;

/** Somebody says something in the group: to the bot, or to nobody. */
async function say(text: string, isToBot = false): Promise<void> {
  const name = '@acme_support_bot';
  const entities = [{ type: 'mention', offset: 0, length: name.length }];
  nextUpdate += 1;
  const status = await demo.deliver({
    update_id: nextUpdate,
    message: {
      message_id: nextUpdate,
      from: { id: 5_550_009, is_bot: false, first_name: 'Ravi' },
      chat: { id: chatId, type: 'supergroup', title: 'Acme customers' },
      date: Math.floor(Date.now() / 1000),
      ...(isToBot ? { text: `${name} ${text}`, entities } : { text }),
    },
  });
  expect(status).toBe(200);
}

const answers = () =>
  system.messenger.sent
    .filter((sent) => sent.chatId === String(chatId))
    .map(({ params }) => String(params.text));
const isAnswered = (answer: string, timeoutMs = 120_000) =>
  eventually(answer, () => answers().includes(answer), { timeoutMs });

test('a group, its rule, its agent, and a disabled agent: each change applies immediately', async () => {
  await say('nobody is meant');
  await say('hello', true);
  await isAnswered('Be kind. hello');
  const [group] = await system.api<{ groupId: string; title: string }[]>('GET', '/api/bot-groups');
  expect(group).toMatchObject({ title: 'Acme customers', answersWhen: 'addressed', overheardAt: null });
  const { groupId } = group!;

  await system.api('PUT', `/api/bot-groups/${groupId}`, { body: { answersWhen: 'always' } });
  await eventually('it answers what is said to nobody', async () => {
    await say('lunch?');
    // Said once in a while only: a group is answered at its pace.
    return await isAnswered('Be kind. lunch?', 2000).then(
      () => true,
      () => false,
    );
  });

  await system.api('POST', '/api/bot-assignment', {
    body: { botId: demo.botId, agentId: specialist, where: { groupId } },
  });
  await say('who is there?', true);
  await isAnswered('Specialist who is there?');

  for (const agentId of [specialist, demo.agentId]) {
    await system.api('PATCH', `/api/agents/${agentId}/status`, { body: { enabled: false } });
  }
  await say('and now?', true);
  await eventually('it says that it is switched off', () =>
    answers().some((text) => text.includes('switched off')),
  );
  const [agent] = await system.api<{ enabled: boolean; usage: { answered: number } }[]>('GET', '/api/agents');
  expect(agent?.enabled).toBe(false);
  expect(agent?.usage.answered).toBeGreaterThan(0);
  expect(answers().some((text) => text.includes('nobody is meant'))).toBe(false);
});
