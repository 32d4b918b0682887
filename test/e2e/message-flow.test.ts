import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDemoTenant, type DemoTenant } from './demo-tenant.ts';
import { System } from './system.ts';

let system: System;
let demo: DemoTenant;

beforeAll(async () => {
  system = await System.start();
  demo = await createDemoTenant(system);
});
afterAll(() => system.stop());

const sample = JSON.parse(
  readFileSync(new URL('../fixtures/messenger/private_text.json', import.meta.url), 'utf8'),
);
const answersIn = (chatId: number) => system.messenger.sent.filter((sent) => sent.chatId === String(chatId));
let nextUpdate = 1000;
const update = (chatId: number, text: string) => ({
  update_id: nextUpdate++,
  message: {
    message_id: nextUpdate,
    from: { id: chatId, is_bot: false, first_name: 'Ravi' },
    chat: { id: chatId, type: 'private', first_name: 'Ravi' },
    date: Math.floor(Date.now() / 1000),
    text,
  },
});

test('a delivery and its five copies lead to exactly one message with the words of the model', async () => {
  system.model.replyWith('Your parcel arrives **tomorrow**.');
  expect(await demo.deliver(sample)).toBe(200);
  const chatId = sample.message.chat.id as number;
  const first = await system.messenger.sent.waitFor((sent) => sent.chatId === String(chatId));
  expect(first.params.text).toBe('Your parcel arrives <b>tomorrow</b>.');
  const copies = await Promise.all(Array.from({ length: 5 }, () => demo.deliver(sample)));
  expect(copies).toEqual([200, 200, 200, 200, 200]);
  // An answer to a later message shows that the copies were handled and left no trace.
  await demo.deliver(update(chatId, 'and now?'));
  await system.messenger.sent.waitFor(() => answersIn(chatId).length >= 2);
  expect(answersIn(chatId)).toHaveLength(2);
  expect(
    system.model.requests.filter(({ messages }) => messages.at(-1)?.content === sample.message.text),
  ).toHaveLength(1);
});

test('five simultaneous copies of a new update lead to exactly one message', async () => {
  const fresh = update(5_550_001, 'is this the queue?');
  const statuses = await Promise.all(Array.from({ length: 5 }, () => demo.deliver(fresh)));
  expect(statuses).toEqual([200, 200, 200, 200, 200]);
  await system.messenger.sent.waitFor((sent) => sent.chatId === '5550001');
  await demo.deliver(update(5_550_001, 'next'));
  await system.messenger.sent.waitFor(() => answersIn(5_550_001).length >= 2);
  expect(answersIn(5_550_001)).toHaveLength(2);
});

test('a wrong secret is refused with 401, a missing one too, and an unknown bot is 404', async () => {
  const fresh = update(5_550_002, 'let me in');
  expect(await demo.deliver(fresh, { 'x-telegram-bot-api-secret-token': 'wrong' })).toBe(401);
  expect(await demo.deliver(fresh, {})).toBe(401);
  const stranger = await fetch(`${system.gatewayUrl}/webhooks/messenger/${randomUUID()}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(fresh),
  });
  expect(stranger.status).toBe(404);
  expect(answersIn(5_550_002)).toHaveLength(0);
});

test('messages and their usage can be read afterwards', async () => {
  await demo.deliver(update(5_550_003, 'count me'));
  await system.messenger.sent.waitFor((sent) => sent.chatId === '5550003');
  const chats = await system.api<{ chatId: string; title: string }[]>('GET', '/api/interactions/chats');
  const chat = chats.find(({ title }) => title === 'Ravi');
  const messages = await eventually('the reply is known to be sent', async () => {
    const listed = await system.api<{ direction: string; status: string; text: string }[]>(
      'GET',
      `/api/interactions/chats/${chat?.chatId}/messages`,
    );
    return listed.some(({ status }) => status === 'sent') && listed;
  });
  expect(messages.map(({ direction }) => direction)).toEqual(['out', 'in']);
  const { counters } = await eventually('the turns are counted', async () => {
    const usage = await system.api<{ counters: Record<string, number> }>(
      'GET',
      `/api/usage/${demo.tenantId}`,
    );
    return (usage.counters.messages ?? 0) >= system.model.requests.count && usage;
  });
  expect(counters.messages).toBe(system.model.requests.count);
});

test('killing the agents process in the middle of a model call still ends in exactly one answer', async () => {
  system.model.hang();
  await demo.deliver(update(5_550_004, 'are you still there?'));
  await eventually('the model is asked', () => system.model.pending > 0);
  await system.kill('agents');
  system.model.release();
  system.model.replyWith('Still here.');
  await system.messenger.sent.waitFor((sent) => sent.chatId === '5550004');
  await demo.deliver(update(5_550_004, 'good'));
  await system.messenger.sent.waitFor(() => answersIn(5_550_004).length >= 2);
  expect(answersIn(5_550_004).map(({ params }) => params.text)).toEqual(['Still here.', 'Still here.']);
});

test('deleting an integration removes its webhook from the platform, and deliveries are 404 from then on', async () => {
  await system.api('DELETE', demo.integrationPath);
  await system.messenger.calls.waitFor(({ operation }) => operation === 'deleteWebhook');
  expect(await demo.deliver(update(5_550_005, 'anybody?'))).toBe(404);
  expect(answersIn(5_550_005)).toHaveLength(0);
});
