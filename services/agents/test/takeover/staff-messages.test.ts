import { randomUUID } from 'node:crypto';
import { replyCreated } from '@botyard/contracts/events/agents';
import { erasePerson } from '@botyard/contracts/events/agents-requests';
import { ask } from '@botyard/shared/bus/requests';
import { eventually } from '@botyard/testing/eventually';
import { user } from '@botyard/testing/test-call';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AgentsServices, createBot, openAgentsServices, type TestBot } from '../agents-services.ts';
import { HandledChat, staffPersonId, userIdOf } from './chats.ts';

let services: AgentsServices;
let bot: TestBot;
let memberId: string;

beforeAll(async () => {
  services = await openAgentsServices();
  bot = await createBot(services, services.acme, { answerWithinMinutes: 5 });
  memberId = await userIdOf(services, services.acme.member);
  await services.harness.asOwner(`update tenancy.users set name = 'Mary' where user_id = $1`, [memberId]);
});
afterAll(() => services?.close());

async function taken(body: object = {}): Promise<HandledChat> {
  const chat = await HandledChat.begun(services, bot);
  await chat.takeOver(body);
  return chat;
}

/** Written by somebody whose name is known. */
async function byMary(chat: HandledChat, text: string): Promise<void> {
  await makeAdmin();
  expect((await chat.write(text, services.acme.member)).status).toBe(201);
}

const makeAdmin = () =>
  services.tenancy.call('PUT', `/api/bots/tenants/${services.acme.tenantId}/members/${memberId}`, {
    as: services.acme.admin,
    body: { role: 'admin' },
  });

describe('a staff message', () => {
  test('is sent as a reply in the next position of the chat, with its author', async () => {
    const chat = await taken();
    const { status, body } = await chat.write('Hello, **Mary** here.');
    expect([status, body]).toEqual([201, { messageId: expect.any(String), state: 'sending' }]);
    const rows = await services.harness.asOwner<{ data: string }>(
      'select data from agents.outbox where subject like $1 and data like $2',
      [`%.event.${replyCreated.name}.%`, `%${body.messageId}%`],
    );
    const [event, ...more] = rows.map(({ data }) => replyCreated.schema.parse(JSON.parse(data)));
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      conversationId: chat.conversationId,
      replyId: body.messageId,
      replySeq: 2,
      text: 'Hello, **Mary** here.',
      author: 'staff',
    });
    const askedAt = (await chat.messages()).at(-1).createdAt;
    expect(Math.abs(Date.parse(event!.askedAt!) - Date.parse(askedAt))).toBeLessThan(5000);
    expect(Date.parse(event!.answerUntil!)).toBeGreaterThan(Date.now() + 4 * 60_000);
  });

  test.each([
    [
      'a topic of a group',
      { chat: { platformChatId: '-100777', kind: 'group', title: 'Team', threadId: '42' } },
    ],
    [
      'a thread of mails',
      { platform: 'email', chat: { platformChatId: randomUUID(), kind: 'private', title: 'Re: my parcel' } },
    ],
  ] as const)('goes to %s alike', async (_where, place) => {
    const chat = new HandledChat(services, bot);
    await chat.say('hello', place);
    await chat.answers(1);
    await chat.isIdle();
    await chat.takeOver();
    const { messageId } = (await chat.write('Mary here.')).body;
    const rows = await services.harness.asOwner<{ data: string }>(
      'select data from agents.outbox where subject like $1 and data like $2',
      [`%.event.${replyCreated.name}.%`, `%${messageId}%`],
    );
    const [event] = rows.map(({ data }) => replyCreated.schema.parse(JSON.parse(data)));
    expect(event).toMatchObject({ platform: 'messenger', ...place, replySeq: 2, author: 'staff' });
  });

  test("is shown as a person's, with their name, and the bot's as the bot's", async () => {
    const chat = await taken();
    await byMary(chat, 'Mary here.');
    const authors = (await chat.messages()).map(({ author }: { author: object }) => author);
    expect(authors).toEqual([
      { kind: 'staff', userId: memberId, name: 'Mary' },
      { kind: 'bot', name: 'Agent' },
      { kind: 'person', name: expect.any(String) },
    ]);
    const [{ messageId }] = await chat.messages();
    const detail = await services.agents.call('GET', `/api/interactions/messages/${messageId}`, {
      as: services.acme.admin,
    });
    expect(detail.body.author).toEqual(authors[0]);
  });

  test('is refused while the bot handles the chat', async () => {
    const chat = await HandledChat.begun(services, bot);
    const refused = await chat.write('Hello');
    expect(refused).toMatchObject({
      status: 409,
      body: { error: 'the bot handles this chat: take it over first' },
    });
    expect(await chat.replies()).toHaveLength(1);
  });

  test('is bounded, and not empty', async () => {
    const chat = await taken();
    for (const text of ['', ' \n ', 'x'.repeat(16_001), 7, undefined])
      expect((await chat.call('POST', '/messages', { text })).status).toBe(400);
    expect(await chat.replies()).toHaveLength(1);
  });

  test('gets a position without a gap or a duplicate when several people write simultaneously', async () => {
    const chat = await taken();
    const all = await Promise.all(Array.from({ length: 8 }, (_, index) => chat.write(`part ${index}`)));
    expect(all.map(({ status }) => status)).toEqual(all.map(() => 201));
    expect((await chat.replies()).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test("does not count as the bot's answer", async () => {
    const own = await createBot(services, services.acme);
    const chat = await HandledChat.begun(services, own);
    await chat.takeOver();
    await chat.write('one');
    await chat.write('two');
    const day = new Date().toISOString().slice(0, 10);
    const path = `/api/bots/${own.tenantId}/${own.botId}/stats?from=${day}&to=${day}`;
    const { body } = await services.tenancy.call('GET', path, { as: services.acme.admin });
    expect(JSON.stringify(body)).toContain('"messagesOut":1');
    const rows = await services.harness.asOwner<{ out: number }>(
      'select (next_reply_seq - 1 - staff_replies)::int as out from agents.conversations where conversation_id = $1',
      [chat.conversationId],
    );
    expect(rows).toEqual([{ out: 1 }]);
  });
});

describe('a chat is assigned', () => {
  test('to its assignee, to a colleague, or to nobody', async () => {
    const chat = await taken();
    expect(await chat.shown()).toMatchObject({
      assigneeUserId: await userIdOf(services, services.acme.admin),
    });
    await chat.takeOver({ assigneeUserId: memberId });
    expect(await chat.shown()).toMatchObject({ handling: 'person', assigneeUserId: memberId });
    const find = async (query: string) =>
      (
        await services.agents.call('GET', `/api/interactions/chats?${query}`, { as: services.acme.admin })
      ).body.map(({ chatId }: { chatId: string }) => chatId);
    const { chatId } = await chat.shown();
    expect(await find(`assigneeUserId=${memberId}`)).toContain(chatId);
    expect(await find('handling=person')).toContain(chatId);
    expect(await find('handling=bot')).not.toContain(chatId);
    await chat.takeOver({ assigneeUserId: null });
    expect(await chat.shown()).toMatchObject({ handling: 'person', assigneeUserId: null });
  });

  test('never to a person outside the tenant', async () => {
    const chat = await HandledChat.begun(services, bot);
    const ofOther = await userIdOf(services, services.other.admin);
    const stranger = await userIdOf(services, user(`user_${randomUUID()}`));
    for (const assigneeUserId of [ofOther, stranger, randomUUID()]) {
      const refused = await chat.takeOver({ assigneeUserId });
      expect(refused).toMatchObject({ status: 422, body: { issues: [{ path: 'assigneeUserId' }] } });
    }
    expect(await chat.shown()).toMatchObject({ handling: 'bot' });
  });

  test('to an operator who takes it over, even from outside the tenant', async () => {
    const chat = await HandledChat.begun(services, bot);
    const { operator } = services.acme;
    const { agents, acme } = services;
    const headers = { 'x-tenant-id': acme.tenantId };
    const answer = await agents.call('POST', await chat.path('/takeover'), {
      as: operator,
      headers,
      body: {},
    });
    expect(answer).toMatchObject({ status: 200, body: { handling: 'person' } });
  });

  test('even after the bot is deleted', async () => {
    const own = await createBot(services, services.acme);
    const chat = await HandledChat.begun(services, own);
    await services.tenancy.call('DELETE', `/api/bots/${own.tenantId}/${own.botId}`, {
      as: services.acme.admin,
    });
    await services.harness.settled('agents', 'tenancy');
    expect((await chat.takeOver()).status).toBe(409);
  });
});

test('a chat of another tenant is not there', async () => {
  const chat = await taken();
  const as = services.other.admin;
  for (const end of ['/takeover', '/handback', '/messages'])
    expect((await chat.call('POST', end, end === '/messages' ? { text: 'x' } : {}, as)).status).toBe(404);
});

test('the erasure of a person who wrote and handles chats keeps the messages, and nothing of their author', async () => {
  const chat = await taken({ assigneeUserId: memberId });
  await byMary(chat, 'Mary here.');
  const bus = await services.harness.busAs('tenancy');
  const person = {
    tenantId: bot.tenantId,
    personIds: [await staffPersonId(services, services.acme.member)],
    accounts: [],
    erasedBefore: new Date().toISOString(),
  };
  const receipts = await eventually('the erasure is done', async () => {
    const erased = await ask(bus, erasePerson, person);
    return erased.isDone && erased.receipts;
  });
  expect(receipts).toContainEqual({ store: 'agents.staff', erased: 1 });
  const [written] = await chat.messages();
  expect(written).toMatchObject({ text: 'Mary here.', author: { kind: 'staff' } });
  expect(Object.keys(written.author)).toEqual(['kind']);
  expect(await chat.shown()).toMatchObject({ handling: 'person', assigneeUserId: null });
  await byMary(chat, 'Back again.');
  expect((await chat.messages())[0].author).toMatchObject({ userId: memberId });
});
