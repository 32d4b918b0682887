import { replyCreated } from '@botyard/contracts/events/agents';
import { replyDelivered } from '@botyard/contracts/events/webhooks';
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

beforeAll(async () => {
  services = await openAgentsServices();
  bot = await createBot(services, services.acme, { answerWithinMinutes: 5 });
});
afterAll(() => services?.close());

const get = (path: string, as = services.acme.admin) =>
  services.agents.call('GET', `/api/interactions${path}`, { as });

/** A dropped reply, as the webhooks service announces it. */
async function givenUp(
  isUncertain: boolean,
  lastError: string,
  chat = new Chat(services, bot),
): Promise<string> {
  await chat.say('hello');
  await chat.answers(1);
  const [reply] = await chat.replies();
  const replyId = reply!.message_id;
  await services.harness.publish(replyDelivered, {
    tenantId: bot.tenantId,
    botId: bot.botId,
    conversationId: chat.conversationId,
    replyId,
    state: 'failed',
    platformMessageIds: [],
    isUncertain,
    lastError,
  });
  await services.harness.settled('agents', 'webhooks');
  return replyId;
}

test('a dropped reply is shown as failed or as uncertain, with its reason, in every list', async () => {
  const failed = await givenUp(false, 'unusable answer (502)');
  const uncertain = await givenUp(true, 'no answer (ECONNRESET)');
  for (const [messageId, expected] of [
    [failed, { status: 'failed', failure: 'unusable answer (502)' }],
    [uncertain, { status: 'uncertain', failure: 'no answer (ECONNRESET)', isUncertain: true }],
  ] as const) {
    const single = (await get(`/messages/${messageId}`)).body;
    expect(single).toMatchObject(expected);
    const { body: listed } = await get(`/chats/${single.chatId}/messages?status=${expected.status}`);
    expect(listed).toMatchObject([{ messageId, ...expected }]);
  }
  const { body } = await get('/undelivered');
  expect(body).toMatchObject([
    { messageId: uncertain, botId: bot.botId, status: 'uncertain', reason: 'no answer (ECONNRESET)' },
    { messageId: failed, botId: bot.botId, status: 'failed', reason: 'unusable answer (502)' },
  ]);
  const idsOf = async (query: string) =>
    (await get(`/undelivered?${query}`)).body.map(({ messageId }: { messageId: string }) => messageId);
  expect(await idsOf('status=failed')).toEqual([failed]);
  expect(await idsOf(`chatId=${body[0].chatId}`)).toEqual([uncertain]);
  expect(await idsOf(`botId=${crypto.randomUUID()}`)).toEqual([]);
  expect((await get('/undelivered?status=sent')).status).toBe(400);
  expect((await get('/undelivered', services.other.admin)).body).toEqual([]);
});

const resend = (messageId: string, as = services.acme.admin) =>
  services.agents.call('POST', `/api/interactions/undelivered/${messageId}/resend`, { as });
const drop = (messageId: string, as = services.acme.admin) =>
  services.agents.call('DELETE', `/api/interactions/undelivered/${messageId}`, { as });
const isListed = async (messageId: string) =>
  (await get('/undelivered')).body.some((one: { messageId: string }) => one.messageId === messageId);

test('a reply that did not arrive is sent again after later messages, once, even for simultaneous requests', async () => {
  const chat = new Chat(services, bot);
  const failed = await givenUp(false, 'unusable answer (502)', chat);
  await chat.say('and then?');
  await chat.answers(2);
  const answers = await Promise.all([resend(failed), resend(failed), resend(failed)]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409]);
  const sent = answers.find(({ status }) => status === 201)?.body;
  const replies = await chat.replies();
  const [first] = replies;
  expect(replies.map(({ seq }) => seq)).toEqual([1, 2, 3]);
  expect(replies.at(-1)).toMatchObject({ message_id: sent.messageId, text: first!.text });
  expect(sent).toMatchObject({ status: 'sending', author: { kind: 'bot' }, text: first!.text });
  const [event] = await services.harness.asOwner<{ data: string }>(
    'select data from agents.outbox where data like $1',
    [`%"replyId":"${sent.messageId}"%`],
  );
  expect(replyCreated.schema.parse(JSON.parse(event!.data))).toMatchObject({ replySeq: 3, author: 'bot' });
  expect(await isListed(failed)).toBe(false);
  expect((await get(`/messages/${failed}`)).body.status).toBe('failed');
});

test('a reply that was dropped leaves the list, stays in its chat, and is not sent again', async () => {
  const uncertain = await givenUp(true, 'no answer (ECONNRESET)');
  expect((await drop(uncertain)).status).toBe(204);
  expect(await isListed(uncertain)).toBe(false);
  expect((await get(`/messages/${uncertain}`)).body.status).toBe('uncertain');
  expect((await drop(uncertain)).status).toBe(404);
  expect((await resend(uncertain)).status).toBe(409);
});

test("only replies on the tenant's own list can be sent again or dropped", async () => {
  const chat = new Chat(services, bot);
  const failed = await givenUp(false, 'unusable answer (502)', chat);
  await chat.say('and then?');
  await chat.answers(2);
  const [, arriving] = await chat.replies();
  expect((await resend(arriving!.message_id)).status).toBe(409);
  expect((await drop(arriving!.message_id)).status).toBe(404);
  expect((await resend(crypto.randomUUID())).status).toBe(404);
  for (const call of [resend, drop]) expect((await call(failed, services.other.admin)).status).toBe(404);
  expect(await isListed(failed)).toBe(true);
});

test("a message of the bot without a confirmation is part of the model's context", async () => {
  const chat = new Chat(services, bot);
  await chat.say('hello');
  await chat.answers(1);
  const [reply] = await chat.replies();
  await services.harness.asOwner("update agents.messages set status = 'uncertain' where message_id = $1", [
    reply!.message_id,
  ]);
  await chat.say('and now?');
  await chat.answers(2);
  const lastRequest = JSON.stringify(services.model.requests.filter(() => true).at(-1));
  expect(lastRequest).toContain(reply!.text);
});

test('a reply carries its expiry, as configured for its bot', async () => {
  const chat = new Chat(services, bot);
  const receivedAt = new Date(Date.now() - 1000).toISOString();
  await chat.say('how long?', { receivedAt });
  await chat.answers(1);
  const rows = await services.harness.asOwner<{ data: string }>(
    'select data from agents.outbox where data like $1 and subject like $2',
    [`%${chat.conversationId}%`, '%reply%'],
  );
  const { askedAt, answerUntil } = replyCreated.schema.parse(JSON.parse(rows[0]!.data));
  expect(Date.parse(answerUntil!) - Date.parse(askedAt!)).toBe(5 * 60_000);
});

test('a reply that is sent again during a turn comes before its answer, which the model is asked for once', async () => {
  const chat = new Chat(services, bot);
  const failed = await givenUp(false, 'unusable answer (502)', chat);
  services.model.hang();
  const nextRequest = services.model.nextRequest();
  await chat.say('and then?');
  await nextRequest;
  const calls = services.model.requests.count;
  expect((await resend(failed)).status).toBe(201);
  services.model.release();
  expect(await chat.answers(3)).toEqual(['re: hello', 're: hello', expect.stringMatching(/and then\?$/)]);
  await chat.isIdle();
  expect((await chat.replies()).map(({ seq }) => seq)).toEqual([1, 2, 3]);
  expect(services.model.requests.count).toBe(calls);
});
