import { randomUUID } from 'node:crypto';
import { accessChanged } from '@botyard/contracts/events/tenancy';
import { quotaWarned } from '@botyard/contracts/events/usage';
import {
  messageDeleted,
  registrationChanged,
  replyDelivered,
  replyReported,
} from '@botyard/contracts/events/webhooks';
import type { Identity } from '@botyard/contracts/identity';
import { maxStreamsOfCaller } from '@botyard/shared/http/open-streams';
import { EventReader } from '@botyard/testing/event-reader';
import { beforeItExpires, eventually } from '@botyard/testing/eventually';
import { firstSample } from '@botyard/testing/samples';
import { user } from '@botyard/testing/test-call';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import {
  type AgentsServices,
  Chat,
  createBot,
  openAgentsServices,
  startAgents,
  type TestBot,
} from '../../agents-services.ts';
import { changeChat, deletionOf, editOf, publishEdit } from '../../chat-events.ts';

let services: AgentsServices;
let bot: TestBot;
const readers: EventReader[] = [];

beforeAll(async () => {
  services = await openAgentsServices();
  bot = await createBot(services, services.acme);
});
afterEach(() => {
  for (const reader of readers.splice(0)) reader.close();
});
afterAll(() => services?.close());

async function listen(
  options: { as?: Identity; lastEventId?: string; service?: AgentsServices['agents'] } = {},
): Promise<EventReader> {
  const { service = services.agents, as = services.acme.admin, ...more } = options;
  const reader = await EventReader.open(service, { as, ...more });
  readers.push(reader);
  return reader;
}

const call = (path: string, as = services.acme.admin) => services.agents.call('GET', path, { as });

/** Sends a message, which is answered and delivered. */
async function sayAndDeliver(text: string, chat = new Chat(services, bot)): Promise<Chat> {
  await chat.say(text);
  const reply = await eventually('it is answered', async () => {
    const replies = await chat.replies();
    return replies.find((one) => one.text === `re: ${text}`);
  });
  await services.harness.publish(replyDelivered, {
    tenantId: bot.tenantId,
    botId: bot.botId,
    conversationId: chat.conversationId,
    replyId: reply.message_id,
    state: 'sent' as const,
    platformMessageIds: ['7'],
    isUncertain: false,
  });
  return chat;
}

test('a received message, and its answer, are sent in the form of the list of messages', async () => {
  const reader = await listen();
  expect(reader.comments.length).toBeLessThanOrEqual(1);
  await sayAndDeliver('hello');
  const received = await reader.first('message.received');
  const sent = await reader.first('message.sent');
  expect(received.data).toMatchObject({ direction: 'in', text: 'hello' });
  expect(sent.data).toMatchObject({ direction: 'out', text: 're: hello', status: 'sent' });
  await services.harness.settled('agents', 'webhooks');
  const { body } = await call(`/api/interactions/chats/${received.data.chatId}/messages`);
  expect(body.map(({ messageId }: { messageId: string }) => messageId)).toEqual([
    sent.data.messageId,
    received.data.messageId,
  ]);
  expect(body[0]).toEqual(sent.data);
});

test.each([
  ['in their order', ['delivered', 'read', 'failed']],
  ['in any other', ['failed', 'read', 'delivered']],
] as const)('what a platform reports of a reply is shown, %s: the greatest holds', async (_how, states) => {
  const reader = await listen();
  const { conversationId } = await sayAndDeliver('hello');
  const sent = await reader.first('message.sent');
  await services.harness.settled('agents', 'webhooks');
  const { messageId: replyId, chatId } = sent.data;
  for (const [place, state] of states.entries()) {
    const happenedAt = new Date(Date.UTC(2026, 10, 20) + place).toISOString();
    const reason = state === 'failed' ? 'undeliverable' : undefined;
    const { tenantId } = services.acme;
    const { botId } = bot;
    const report = { tenantId, botId, conversationId, replyId, state, reason, happenedAt };
    await services.harness.publish(replyReported, report);
    await services.harness.settled('agents', 'webhooks');
  }
  const { body } = await call(`/api/interactions/chats/${chatId}/messages?direction=out`);
  expect(body).toMatchObject([{ receipt: { state: 'failed', reason: 'undeliverable' } }]);
  const shown = await reader.first('message.sent', ({ data }) => data.receipt?.state === 'failed');
  expect(shown.data).toEqual(body[0]);
});

test('an edit is sent with the text that is stored then', async () => {
  const chat = new Chat(services, bot);
  const said = chat.message('hello');
  await chat.say('hello', said);
  await chat.answers(1);
  const reader = await listen();
  // The edit of a message that never came is not waited for.
  await publishEdit(services, editOf(said, 'unknown', { platformMessageId: 'never-came' }));
  await publishEdit(services, editOf(said, 'hello again'));
  const edited = await reader.first('message.edited');
  expect(edited.data).toMatchObject({ direction: 'in', text: 'hello again' });
  const { body } = await call(`/api/interactions/chats/${edited.data.chatId}/messages?direction=in`);
  expect(body).toEqual([edited.data]);
});

test('a deletion is sent without the text that was deleted', async () => {
  const chat = new Chat(services, bot);
  const said = chat.message('hello');
  await chat.say('hello', said);
  await chat.answers(1);
  const reader = await listen();
  // The deletion of a message that never came is not waited for.
  const deletion = deletionOf(said);
  await services.harness.publish(messageDeleted, { ...deletion, platformMessageIds: ['never-came'] });
  await services.harness.publish(messageDeleted, deletion);
  const { data } = await reader.first('message.deleted');
  expect(data).toMatchObject({ direction: 'in', text: '', deletedAt: deletion.deletedAt });
  const { body } = await call(`/api/interactions/chats/${data.chatId}/messages?direction=in`);
  expect(body).toEqual([data]);
});

test('a blocked chat is sent in the form of the list of chats', async () => {
  const chat = new Chat(services, bot);
  const said = chat.message('hello', {
    chat: { platformChatId: randomUUID(), kind: 'private', title: 'Ann' },
  });
  await chat.say('hello', { ...said, seq: 1 });
  await chat.answers(1);
  const reader = await listen();
  await changeChat(services, said);
  const { data } = await reader.first('chat.updated');
  expect(data).toMatchObject({ isBlocked: true, blockedReason: 'the person blocked the bot' });
  const { isUnread, ...chatForAll } = (await call(`/api/interactions/chats/${data.chatId}`)).body;
  expect(isUnread).toBe(true);
  expect(chatForAll).toEqual(data);
});

test("a message that can't be answered is sent in the form of the dead letters", async () => {
  const lame = await createBot(services, services.acme);
  await services.harness.asOwner(`update agents.agent_definitions set provider = 'x' where id = $1`, [
    lame.agentIds[0],
  ]);
  const reader = await listen();
  await new Chat(services, lame).say('who hears this');
  const { data } = await reader.first('dead_letter.created');
  expect(data).toMatchObject({ text: 'who hears this', botId: lame.botId, tries: 6 });
  expect((await call(`/api/interactions/dead-letters/${data.messageId}`)).body).toEqual(data);
});

test('registrations and quotas are sent only to listeners of their tenant', async () => {
  const [reader, elsewhere] = [await listen(), await listen({ as: services.other.admin })];
  const { tenantId } = services.acme;
  const registration = { ...firstSample(registrationChanged), tenantId, integrationId: randomUUID() };
  await services.harness.publish(registrationChanged, registration);
  await services.harness.publish(quotaWarned, { ...firstSample(quotaWarned), tenantId });
  const changed = await reader.first('integration.changed');
  expect(changed.data).toMatchObject({
    integrationId: registration.integrationId,
    registration: { state: registration.state },
  });
  expect(JSON.stringify(changed.data)).not.toContain(tenantId);
  const { level, limit } = firstSample(quotaWarned);
  expect((await reader.first('quota.near')).data).toMatchObject({ level, limit });
  // By this its own stream has come as far.
  await services.harness.publish(quotaWarned, {
    ...firstSample(quotaWarned),
    tenantId: services.other.tenantId,
  });
  await elsewhere.first('quota.near');
  expect(elsewhere.heard).toHaveLength(1);
});

test('a client that lost the connection resumes where it ended, at any process, and receives nothing twice', async () => {
  const chat = new Chat(services, bot);
  const before = await listen();
  await sayAndDeliver('one', chat);
  const { id } = await before.first('message.sent');
  before.close();
  await sayAndDeliver('two', chat);
  const other = await startAgents(services);
  const after = await listen({ lastEventId: id, service: other });
  await after.first('message.sent');
  await sayAndDeliver('three', chat);
  await after.first('message.sent', ({ data }) => data.text === 're: three');
  expect(after.heard.map(({ event, data }) => [event, data.text])).toEqual([
    ['message.received', 'two'],
    ['message.sent', 're: two'],
    ['message.received', 'three'],
    ['message.sent', 're: three'],
  ]);
  await other.stop();
});

test.each(['1', 'nonsense', '1-1-1-1-1-1-1'])(
  "an identifier that can't be resumed from, as %s, gets a `reset`, and later events are received",
  async (lastEventId) => {
    const reader = await listen({ lastEventId });
    await reader.first('reset');
    await sayAndDeliver('and on');
    await reader.first('message.sent');
    expect(reader.heard.map(({ event }) => event)).toEqual(['reset', 'message.received', 'message.sent']);
  },
);

test('the stream of a person who is no longer an admin ends, and others continue', async () => {
  const leaver = user(`user_${randomUUID()}`);
  const { body } = await services.tenancy.call('GET', '/api/current-user', { as: leaver });
  await services.harness.asOwner(
    `insert into tenancy.memberships (tenant_id, user_id, role, visited_at) values ($1, $2, 'admin', now())`,
    [services.acme.tenantId, body.userId],
  );
  const [reader, other] = [await listen({ as: leaver }), await listen()];
  const path = `/api/bots/tenants/${services.acme.tenantId}/members/${body.userId}`;
  const removed = await services.tenancy.call('DELETE', path, { as: services.acme.admin });
  expect(removed.status).toBe(204);
  await eventually('the stream is over', () => reader.isOver || undefined, beforeItExpires);
  await services.harness.publish(quotaWarned, {
    ...firstSample(quotaWarned),
    tenantId: services.acme.tenantId,
  });
  await other.first('quota.near');
  expect(other.isOver).toBe(false);
  expect(reader.heard).toEqual([]);
});

test('a change of access that takes nothing away ends no stream', async () => {
  const reader = await listen();
  const { idpUserId } = services.acme.admin as { idpUserId: string };
  await services.harness.publish(accessChanged, { idpUserId });
  await sayAndDeliver('still here');
  await reader.first('message.sent');
  expect(reader.isOver).toBe(false);
});

test('a caller has at most the allowed number of streams, until one is closed', async () => {
  const as = services.acme.operator;
  const headers = { 'x-tenant-id': services.acme.tenantId };
  const open = async () => {
    const answer = await services.agents.call('HEAD', '/api/events', { as, headers });
    return answer.status;
  };
  expect(await open()).toBe(200);
  const mine = await Promise.all(Array.from({ length: maxStreamsOfCaller }, () => listen()));
  const refused = await call('/api/events');
  expect(refused.status).toBe(503);
  expect(refused.body.error).toContain(`${maxStreamsOfCaller} event streams`);
  expect(refused.headers.get('retry-after')).not.toBeNull();
  mine[0]!.close();
  await eventually('there is room again', async () => (await call('/api/events')).status === 200);
});

test('only admins and operators listen', async () => {
  expect((await call('/api/events', services.acme.member)).status).toBe(403);
  const headers = { 'x-tenant-id': services.other.tenantId };
  const { admin, operator } = services.acme;
  const of = (as: Identity) => services.agents.call('GET', '/api/events', { as, headers });
  expect((await of(admin)).status).toBe(403);
  const answer = await of(operator);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toMatch(/^text\/event-stream/);
  expect(answer.headers.get('cache-control')).toContain('no-transform');
});

test("a process that ends closes its listeners' streams immediately", async () => {
  const other = await startAgents(services);
  const reader = await listen({ service: other });
  await other.stop();
  await reader.over();
});
