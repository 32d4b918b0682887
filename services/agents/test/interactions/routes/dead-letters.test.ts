import { randomUUID } from 'node:crypto';
import { findMessages } from '@botyard/contracts/events/webhook-requests';
import { answer } from '@botyard/shared/bus/requests';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  type AgentsServices,
  Chat,
  createBot,
  openAgentsServices,
  type TestBot,
} from '../../agents-services.ts';

let services: AgentsServices;
let bot: TestBot;
const base = '/api/interactions';

beforeAll(async () => {
  services = await openAgentsServices();
});
beforeEach(async () => {
  bot = await createBot(services, services.acme);
});
afterEach(() => services.model.release());
afterAll(() => services?.close());

const call = (method: string, end: string, as = services.acme.admin) =>
  services.agents.call(method, `${base}${end}`, { as });

/** Every try to answer with the bot's agent fails inside the service, until it is healed. */
const setProvider = (provider: string) =>
  services.harness.asOwner('update agents.agent_definitions set provider = $1 where id = $2', [
    provider,
    bot.agentIds[0],
  ]);
const poison = () => setProvider('x');
const heal = () => setProvider('private-llm');

/** A chat in which all this was said while nothing could be answered. */
async function deadChat(...texts: string[]): Promise<{ chat: Chat; chatId: string; messageIds: string[] }> {
  await poison();
  const chat = new Chat(services, bot);
  for (const text of texts) await chat.say(text);
  await eventually('all of it is dead', async () => {
    const written = await chat.written();
    return written.length === texts.length && written.every(({ status }) => status === 'dead');
  });
  await heal();
  const rows = await services.harness.asOwner<{ message_id: string; chat_id: string }>(
    `select message_id, chat_id from agents.messages join agents.conversations using (conversation_id)
     where conversation_id = $1 and direction = 'in' order by seq`,
    [chat.conversationId],
  );
  return { chat, chatId: rows[0]!.chat_id, messageIds: rows.map((row) => row.message_id) };
}

test('dead messages are listed with their cause, the newest first, by bot and chat, and show nothing internal', async () => {
  const { chatId, messageIds } = await deadChat('one', 'two');
  const elsewhere = await deadChat('three');
  const { body } = await call('GET', `/dead-letters?botId=${bot.botId}`);
  expect(body.map(({ text }: { text: string }) => text)).toEqual(['three', 'two', 'one']);
  const ofChat = await call('GET', `/dead-letters?chatId=${chatId}`);
  const [two, one] = ofChat.body;
  expect(one).toEqual({
    messageId: messageIds[0],
    chatId,
    botId: bot.botId,
    text: 'one',
    reason: 'an internal error: look for this messageId in the log',
    tries: 6,
    deadAt: expect.any(String),
    createdAt: expect.any(String),
  });
  expect((await call('GET', `/dead-letters/${two.messageId}`)).body).toEqual(two);
  const page = await call('GET', `/dead-letters?botId=${bot.botId}&limit=1`);
  expect(page.body).toHaveLength(1);
  const next = /[?&]before=([^&>]+)/.exec(page.headers.get('link') ?? '')?.[1];
  const second = await call('GET', `/dead-letters?botId=${bot.botId}&limit=2&before=${next}`);
  expect(second.body.map(({ text }: { text: string }) => text)).toEqual(['two', 'one']);
  expect((await call('GET', `/dead-letters?chatId=${elsewhere.chatId}`)).body).toHaveLength(1);
  expect((await call('GET', `/dead-letters?chatId=${randomUUID()}`)).body).toEqual([]);
});

test('dead messages are searched by their text, and sorted either way', async () => {
  const { chatId } = await deadChat('where is 100%', 'where are you');
  const texts = async (query: string): Promise<string[]> =>
    (await call('GET', `/dead-letters?chatId=${chatId}&${query}`)).body.map(
      ({ text }: { text: string }) => text,
    );
  expect(await texts('q=WHERE')).toEqual(['where are you', 'where is 100%']);
  expect(await texts('q=100%25')).toEqual(['where is 100%']);
  expect(await texts('sort=createdAt')).toEqual(['where is 100%', 'where are you']);
});

test('only an operator lists the dead messages of all tenants, or of one', async () => {
  const unique = randomUUID();
  const own = await deadChat(`${unique} own`);
  bot = await createBot(services, services.other);
  await deadChat(`${unique} other`);
  const { acme, other } = services;
  const listed = async (query: string) => {
    const { body } = await call('GET', `/all-dead-letters?q=${unique}${query}`, acme.operator);
    return body.map(({ text, tenantId }: { text: string; tenantId: string }) => [text, tenantId]);
  };
  expect(await listed('')).toEqual([
    [`${unique} other`, other.tenantId],
    [`${unique} own`, acme.tenantId],
  ]);
  expect(await listed('&sort=createdAt')).toEqual((await listed('')).toReversed());
  expect(await listed(`&tenantId=${other.tenantId}`)).toEqual([[`${unique} other`, other.tenantId]]);
  expect(await listed(`&chatId=${own.chatId}`)).toEqual([[`${unique} own`, acme.tenantId]]);
  for (const as of [acme.admin, acme.member, acme.stranger])
    expect((await call('GET', '/all-dead-letters', as)).status).toBe(403);
});

test('a replayed message is answered once, and is then no longer a dead letter', async () => {
  const { chat, chatId, messageIds } = await deadChat('one');
  const { status, body } = await call('POST', `/dead-letters/${messageIds[0]}/replay`);
  expect([status, body]).toEqual([
    202,
    expect.objectContaining({ messageId: messageIds[0], chatId, direction: 'in', status: 'queued' }),
  ]);
  expect(await chat.answers(1)).toEqual(['re: one']);
  await chat.isIdle();
  expect((await call('POST', `/dead-letters/${messageIds[0]}/replay`)).status).toBe(409);
  expect((await call('GET', `/dead-letters/${messageIds[0]}`)).status).toBe(404);
  expect((await call('DELETE', `/dead-letters/${messageIds[0]}`)).status).toBe(404);
  await chat.isIdle();
  expect(await chat.replies()).toHaveLength(1);
});

test('many simultaneous replays of one message lead to one answer', async () => {
  const { chat, messageIds } = await deadChat('one');
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => call('POST', `/dead-letters/${messageIds[0]}/replay`)),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([202, ...Array(19).fill(409)]);
  await chat.answers(1);
  await chat.isIdle();
  expect(await chat.replies()).toHaveLength(1);
});

test('a replay waits for the running turn, and precedes everything that waits behind it', async () => {
  const { chat, messageIds } = await deadChat('one', 'two');
  services.model.hang();
  const nextRequest = services.model.nextRequest();
  await chat.say('three');
  await nextRequest;
  await chat.say('four');
  await services.harness.settled('agents', 'webhooks');
  for (const messageId of messageIds.toReversed())
    expect((await call('POST', `/dead-letters/${messageId}/replay`)).status).toBe(202);
  services.model.release();
  expect(await chat.answers(4)).toEqual(['re: three', 're: one', 're: two', 're: four']);
});

test("all of a chat's dead messages are answered in their order", async () => {
  const { chat, chatId, messageIds } = await deadChat('one', 'two', 'three');
  const { status, body } = await call('POST', `/chats/${chatId}/replay`);
  expect([status, body.map(({ messageId }: { messageId: string }) => messageId)]).toEqual([202, messageIds]);
  expect(await chat.answers(3)).toEqual(['re: one', 're: two', 're: three']);
  expect((await call('POST', `/chats/${chatId}/replay`)).body).toEqual([]);
});

test('a replayed message that fails again is tried as often as a new one, and is dead again', async () => {
  const { chat, messageIds } = await deadChat('one');
  await poison();
  await call('POST', `/dead-letters/${messageIds[0]}/replay`);
  await eventually('it is dead again', async () => {
    const { status, body } = await call('GET', `/dead-letters/${messageIds[0]}`);
    return status === 200 && body.tries === 6;
  });
  expect(await chat.replies()).toEqual([]);
});

test('a dropped message is never answered, and stays in its chat', async () => {
  const { chat, chatId, messageIds } = await deadChat('one', 'two');
  expect((await call('DELETE', `/dead-letters/${messageIds[0]}`)).status).toBe(204);
  expect((await call('POST', `/dead-letters/${messageIds[0]}/replay`)).status).toBe(409);
  await call('POST', `/chats/${chatId}/replay`);
  expect(await chat.answers(1)).toEqual(['re: two']);
  await chat.isIdle();
  expect(await chat.written()).toMatchObject([
    { text: 'one', status: 'ignored' },
    { text: 'two', status: 'answered' },
  ]);
});

test('a replayed message is answered although the person asked to stop after it, even if it was lost', async () => {
  const { chat, messageIds } = await deadChat('one');
  const lost = chat.message('two');
  answer(await services.harness.busAs('webhooks'), findMessages, async () => ({ messages: [lost] }));
  const lostId = randomUUID();
  await services.harness.asOwner(
    `insert into agents.messages (tenant_id, message_id, conversation_id, direction, seq, text, content, status, dead_at,
       last_error, tries, received_at)
     values ($1, $2, $3, 'in', $4, '', 'unsupported', 'dead', now(), 'lost on its way', 0, now())`,
    [bot.tenantId, lostId, chat.conversationId, lost.seq],
  );
  await chat.say('/stop', { command: { name: 'stop', argument: '' } });
  await chat.answers(1);
  for (const [index, messageId] of [lostId, messageIds[0]].entries()) {
    expect((await call('POST', `/dead-letters/${messageId}/replay`)).status).toBe(202);
    await chat.answers(index + 2);
  }
  expect((await chat.answers(3)).slice(1)).toEqual(['re: two', 're: one']);
});

test('nothing is replayed for a bot that is switched off: it would be dropped', async () => {
  const { chatId, messageIds } = await deadChat('one');
  const path = `/api/bots/${bot.tenantId}/${bot.botId}`;
  const as = services.acme.admin;
  const changed = await services.tenancy.call('PUT', path, { as, body: { enabled: false } });
  expect(changed.status).toBe(200);
  await services.harness.settled('agents', 'tenancy');
  expect((await call('POST', `/dead-letters/${messageIds[0]}/replay`)).status).toBe(409);
  expect((await call('POST', `/chats/${chatId}/replay`)).status).toBe(409);
  expect((await call('GET', `/dead-letters/${messageIds[0]}`)).status).toBe(200);
});

test("the bot's own, another tenant's and unknown messages are not found", async () => {
  const { chat, messageIds } = await deadChat('one');
  await call('POST', `/dead-letters/${messageIds[0]}/replay`);
  await chat.answers(1);
  const [reply] = await chat.replies();
  const { other, acme } = services;
  for (const [messageId, as] of [
    [reply!.message_id, acme.admin],
    [messageIds[0], other.admin],
    [randomUUID(), acme.admin],
  ] as const) {
    const replayed = await call('POST', `/dead-letters/${messageId}/replay`, as);
    expect([replayed.status, replayed.text]).toEqual([404, '{"error":"message not found"}']);
  }
});
