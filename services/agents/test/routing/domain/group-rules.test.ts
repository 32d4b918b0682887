import { randomInt, randomUUID } from 'node:crypto';
import { groupSaved } from '@botyard/contracts/events/agents';
import type { InboundMessage } from '@botyard/contracts/events/webhooks';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import {
  type AgentsServices,
  Chat,
  createBot,
  openAgentsServices,
  type TestBot,
} from '../../agents-services.ts';
import { migrate } from '../../chat-events.ts';

let services: AgentsServices;
let bot: TestBot;

beforeAll(async () => {
  services = await openAgentsServices();
  bot = await createBot(services, services.acme);
});

afterEach(() => services.model.clearFaults());

afterAll(() => services?.close());

interface Group {
  groupId: string;
  place: InboundMessage['chat'];
}

/** A group that the bot is spoken to in, with a name of its own. */
async function newGroup(rules: object = {}): Promise<Group> {
  const place = {
    platformChatId: `-100${randomInt(1e9)}`,
    kind: 'group' as const,
    title: `Team ${randomInt(1e9)}`,
  };
  const chat = new Chat(services, bot);
  await chat.say('first', { chat: place });
  await chat.answers(1);
  const { body } = await asAdmin('GET', '/api/bot-groups');
  const { groupId } = body.find((group: { title: string }) => group.title === place.title);
  const changed = await asAdmin('PUT', `/api/bot-groups/${groupId}`, rules);
  expect(changed.status).toBe(200);
  return { groupId, place };
}

const asAdmin = (method: string, path: string, body?: unknown) =>
  services.agents.call(method, path, { as: services.acme.admin, body });

/** The outcome of a message, and of any reply to it. */
async function outcomeOf(place: InboundMessage['chat'], change: Partial<InboundMessage> = {}) {
  const chat = new Chat(services, bot);
  await chat.say('hello', { chat: place, ...change });
  await services.harness.settled('agents', 'webhooks');
  await chat.isIdle();
  const [message] = await chat.written();
  return { status: message?.status, replies: (await chat.replies()).map(({ text }) => text) };
}

const ignored = { status: 'ignored', replies: [] };
const answered = { status: 'answered', replies: ['re: hello'] };

test('in a group that the bot never answers, it stops with the next turn, until that is changed', async () => {
  const { groupId, place } = await newGroup({ answersWhen: 'never' });
  expect(await outcomeOf(place)).toEqual(ignored);
  await asAdmin('PUT', `/api/bot-groups/${groupId}`, { answersWhen: 'addressed' });
  expect(await outcomeOf(place)).toEqual(answered);
});

test('a bot that is kept to topics answers there alone', async () => {
  const { place } = await newGroup({ topics: ['5', 'general'] });
  expect(await outcomeOf({ ...place, threadId: '5' })).toEqual(answered);
  expect(await outcomeOf(place)).toEqual(answered);
  expect(await outcomeOf({ ...place, threadId: '6' })).toEqual(ignored);
});

test('messages that address nobody are answered only if the bot answers everything', async () => {
  const { groupId, place } = await newGroup();
  expect(await outcomeOf(place, { isAddressed: false })).toEqual(ignored);
  await asAdmin('PUT', `/api/bot-groups/${groupId}`, { answersWhen: 'always' });
  expect(await outcomeOf(place, { isAddressed: false })).toEqual(answered);
  const { body } = await asAdmin('GET', `/api/bot-groups/${groupId}`);
  expect(body.overheardAt).not.toBeNull();
});

test('a failed answer to a message that addresses nobody gets no apology', async () => {
  const { place } = await newGroup({ answersWhen: 'always' });
  services.model.replyWith(() => ({ status: 400 }));
  expect(await outcomeOf(place, { isAddressed: false })).toEqual(ignored);
  expect((await outcomeOf(place)).replies).toEqual([expect.stringContaining('Sorry')]);
  services.model.replyWith(({ messages }) => `re: ${messages.at(-1)?.content}`);
});

test('a group that becomes a supergroup keeps its settings, also if it had messages before', async () => {
  const { groupId, place } = await newGroup({ answersWhen: 'always', name: 'Crew', topics: ['general'] });
  const toChatId = `-100${randomInt(1e9)}9`;
  const moved = { ...place, platformChatId: toChatId };
  expect(await outcomeOf(moved, { isAddressed: false })).toEqual(ignored);
  const chat = new Chat(services, bot);
  const message = chat.message('x', { chat: place });
  await migrate(services, message, {
    fromChatId: place.platformChatId,
    toChatId,
    interimConversationId: randomUUID(),
  });
  const { body } = await asAdmin('GET', `/api/bot-groups/${groupId}`);
  expect(body).toMatchObject({
    platformChatId: toChatId,
    answersWhen: 'always',
    name: 'Crew',
    topics: ['general'],
  });
  const groups = (await asAdmin('GET', '/api/bot-groups?limit=500')).body;
  const ofIt = [place.platformChatId, toChatId];
  expect(
    groups.filter((group: { platformChatId: string }) => ofIt.includes(group.platformChatId)),
  ).toHaveLength(1);
  expect(await outcomeOf(moved, { isAddressed: false })).toEqual(answered);
  const [row] = await services.harness.asOwner<{ data: string }>(
    'select data from agents.outbox where subject like $1 and data like $2',
    [`%.${groupSaved.name}.%`, `%${toChatId}%`],
  );
  expect(groupSaved.schema.parse(JSON.parse(row?.data ?? ''))).toMatchObject({ answersWhen: 'always' });
});

test('the webhooks service receives every change, the newer one with the higher number', async () => {
  const { groupId, place } = await newGroup({ answersWhen: 'always', topics: ['5'] });
  await asAdmin('PUT', `/api/bot-groups/${groupId}`, { topics: null });
  const rows = await services.harness.asOwner<{ data: string }>(
    'select data from agents.outbox where subject like $1 and data like $2 order by id',
    [`%.${groupSaved.name}.%`, `%${place.platformChatId}%`],
  );
  const [first, second] = rows.map(({ data }) => groupSaved.schema.parse(JSON.parse(data)));
  expect(first).toMatchObject({
    answersWhen: 'always',
    topics: ['5'],
    tenantId: bot.tenantId,
    botId: bot.botId,
  });
  expect(second).toMatchObject({ answersWhen: 'always', topics: null });
  expect(second!.revision).toBeGreaterThan(first!.revision);
});
