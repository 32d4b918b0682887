import { randomUUID } from 'node:crypto';
import { integrationBinding, integrationSaved } from '@botyard/contracts/events/tenancy';
import { chatChanged, chatMigrated, messageReceived } from '@botyard/contracts/events/webhooks';
import { Keyring } from '@botyard/shared/secrets/keyring';
import { Secret } from '@botyard/shared/secrets/secret';
import { eventually } from '@botyard/testing/eventually';
import type { TestService } from '@botyard/testing/service-harness';
import { anonymous } from '@botyard/testing/test-call';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApp } from '../../src/app.ts';
import { webhooksConfig } from '../../src/config.ts';
import { createPlatforms } from '../../src/platforms/registry.ts';
import { conversationOf, delivered, expireLease, holdChat, partsIn, publishReplies } from '../replies.ts';
import {
  closeWebhooksServices,
  eventsOf,
  type Integration,
  openWebhooksServices,
  publishedAll,
  type WebhooksServices,
  webhookBaseUrl,
} from '../webhooks-services.ts';
import { createRooms, type RoomEntry, signedBody } from './rooms.ts';

const rooms = createRooms();
let services: WebhooksServices;
let bot: Integration;
let webhooks: TestService;

beforeAll(async () => {
  services = await openWebhooksServices();
  const env = { WEBHOOK_BASE_URL: webhookBaseUrl };
  const withRooms: typeof createApp = (config, context) =>
    createApp(config, context, (adapters, settings) => ({
      ...createPlatforms(adapters, settings),
      messenger: rooms.createAdapter(adapters),
    }));
  const parts = { service: 'webhooks', schema: webhooksConfig, createApp: withRooms, env } as const;
  webhooks = await services.harness.start(parts);
  await services.harness.start(parts);
  bot = await saveBot();
});
afterAll(() => closeWebhooksServices(services));

/** A bot with credentials of this platform's own, as the tenancy service would announce it. */
async function saveBot(): Promise<Integration> {
  const ids = { tenantId: randomUUID(), integrationId: randomUUID(), botId: randomUUID() };
  const hook = `hook-${ids.botId}`;
  const sealedSecrets = await Keyring.parse(services.harness.secretsKeys).seal(
    new Secret(JSON.stringify({ hook })),
    integrationBinding(ids),
  );
  const state = {
    ...ids,
    integrationType: 'messenger' as const,
    isEnabled: true,
    revision: 1,
    sealedSecrets,
  };
  await services.harness.publish(integrationSaved, state);
  await services.harness.settled('webhooks', 'tenancy');
  return { ...ids, botToken: hook, secret: '', isEnabled: true, revision: 1 };
}

const openRoom = (kind = 'room') => {
  const conversation = conversationOf(bot, `${kind}:${randomUUID()}`);
  return { ...conversation, lines: () => rooms.linesIn(conversation.platformChatId) };
};

test('its webhook is registered with its own credentials, at the address of its name', async () => {
  await eventually('it is registered', () => rooms.registered.get(bot.botToken));
  expect(rooms.registered.get(bot.botToken)).toBe(`${webhookBaseUrl}/webhooks/messenger/${bot.botId}`);
});

const path = () => `/webhooks/messenger/${bot.botId}`;
const deliver = async (entries: readonly unknown[], hook = bot.botToken) => {
  const { body, headers } = signedBody(hook, entries);
  return await webhooks.call('POST', path(), { as: anonymous, rawBody: body, headers });
};
const statusOf = async (entries: readonly RoomEntry[], hook?: string) =>
  (await deliver(entries, hook)).status;

/** The admitted messages in rooms, once everything is published. */
async function heardIn(...wanted: string[]) {
  await publishedAll(services);
  const admitted = await eventsOf(services.harness, messageReceived);
  return admitted.filter(({ chat }) => wanted.includes(chat.platformChatId));
}
const textsIn = async (...wanted: string[]) => (await heardIn(...wanted)).map(({ text }) => text);

test('its deliveries are verified in its own way and admitted once each, in the conversation that a room had by its former name', async () => {
  const [room, id] = [`room:${randomUUID()}`, randomUUID()];
  const hall = room.replace('room:', 'hall:');
  const said = { id, room, line: 'Hello' };
  expect(await statusOf([said], 'another hook')).toBe(401);
  expect([await statusOf([said]), await statusOf([said])]).toEqual([200, 200]);
  expect(await statusOf([{ id: randomUUID(), room: hall, wasRoom: room }])).toBe(200);
  expect(await statusOf([{ id: randomUUID(), room: hall, line: 'Again' }])).toBe(200);
  const admitted = await heardIn(room, hall);
  expect(admitted.map(({ text }) => text)).toEqual(['Hello', 'Again']);
  expect(new Set(admitted.map(({ conversationId }) => conversationId)).size).toBe(1);
});

test('a challenge gets the answer that the adapter gives, and a delivery the answer of its platform', async () => {
  const challenge = await webhooks.call('GET', `${path()}?challenge=abc`, { as: anonymous });
  expect([challenge.status, challenge.text]).toEqual([200, 'abc']);
  expect(challenge.headers.get('content-type')).toContain('text/plain');
  expect((await webhooks.call('GET', path(), { as: anonymous })).status).toBe(401);
  const answer = await deliver([{ id: randomUUID(), room: `room:${randomUUID()}`, line: 'Hi' }]);
  expect([answer.status, answer.text]).toEqual([200, 'thanks']);
});

test('all messages in one body are admitted in their order, beside entries that can not be read', async () => {
  const room = `room:${randomUUID()}`;
  const lines = Array.from({ length: 9 }, (_, index) => ({ id: randomUUID(), room, line: `line ${index}` }));
  expect((await deliver([...lines.slice(0, 4), { unknown: 'kind' }, ...lines.slice(4)])).status).toBe(200);
  expect((await deliver(lines)).status).toBe(200);
  const admitted = await heardIn(room);
  expect(admitted.map(({ text }) => text)).toEqual(lines.map(({ line }) => line));
  expect(admitted.map(({ seq }) => seq)).toEqual(lines.map((_, index) => index + 1));
});

test('a body that is none of the platform, or has nothing that can be read, is 400', async () => {
  expect((await deliver([{ unknown: 'kind' }])).status).toBe(400);
  const { body, headers } = signedBody(bot.botToken, { no: 'list' });
  expect((await webhooks.call('POST', path(), { as: anonymous, rawBody: body, headers })).status).toBe(400);
});

test('messages after a rename in one body belong to the conversation of the former name', async () => {
  const room = `room:${randomUUID()}`;
  const hall = room.replace('room:', 'hall:');
  const entries = [
    { id: randomUUID(), room, line: 'before' },
    { id: randomUUID(), room: hall, wasRoom: room },
    { id: randomUUID(), room: hall, line: 'after' },
  ];
  expect([await statusOf(entries), await statusOf(entries)]).toEqual([200, 200]);
  const admitted = await heardIn(room, hall);
  expect(admitted.map(({ text }) => text)).toEqual(['before', 'after']);
  expect(new Set(admitted.map(({ conversationId }) => conversationId)).size).toBe(1);
});

test('a message that is delivered under several identifiers, at once or in one body, is admitted once', async () => {
  const room = `room:${randomUUID()}`;
  const twice = (lineId: string) =>
    [1, 2].map(() => ({ id: randomUUID(), room, line: lineId, lineId: `${room}/${lineId}` }));
  const [first, second] = twice('apart');
  expect(await Promise.all([statusOf([first!]), statusOf([second!])])).toEqual([200, 200]);
  expect(await statusOf(twice('together'))).toBe(200);
  expect(await textsIn(room)).toEqual(['apart', 'together']);
});

test('in a group the bot hears what addresses it, and everything in a thread that it was called into', async () => {
  const room = `room:${randomUUID()}`;
  const say = async (line: string, more: Partial<RoomEntry> = {}) =>
    expect(await statusOf([{ id: randomUUID(), room, kind: 'group', line, ...more }])).toBe(200);
  await say('nobody is asked');
  await say('nobody is asked in a thread', { thread: 'a' });
  await say('called', { thread: 'a', mention: true });
  await say('goes on', { thread: 'a' });
  await say('another thread', { thread: 'b' });
  const admitted = await heardIn(room);
  expect(admitted.map(({ text }) => text)).toEqual(['called', 'goes on']);
  expect(admitted.map(({ isAddressed }) => isAddressed)).toEqual([undefined, undefined]);
});

test('replies that arrive in the wrong order, twice, through two instances are sent once each, in the right one', async () => {
  const { reply, lines } = openRoom();
  const [one, two, three] = ['one', 'two', 'three'].map((text) => reply(text));
  await publishReplies(services, two!, one!, three!, two!);
  expect(await delivered(services, three!)).toMatchObject({ state: 'sent', isUncertain: false });
  expect(lines()).toEqual(['ONE', 'TWO', 'THREE']);
  expect(rooms.hooksUsed).toEqual(new Set([bot.botToken]));
});

test("a long reply is sent in lines of its platform's length, and is announced with its platform's numbers", async () => {
  const { reply, lines } = openRoom();
  const words = Array.from({ length: 60 }, (_, index) => `w${index}`).join(' ');
  const long = reply(words);
  await publishReplies(services, long);
  const { platformMessageIds } = await delivered(services, long);
  expect(lines().length).toBeGreaterThan(4);
  expect(lines().join('')).toBe(words.toUpperCase());
  expect(platformMessageIds).toEqual(rooms.idsIn(long.chat.platformChatId));
});

test("nothing is sent faster than the platform's pace allows", async () => {
  const { reply, lines, platformChatId } = openRoom('slow');
  const long = reply('x'.repeat(160));
  await publishReplies(services, long);
  const waits = async (count: number) =>
    await eventually('it waits', async () => {
      const rows = await services.harness.asOwner(
        "select from webhooks.chats where platform_chat_id = $1 and ready_at > now() + interval '10 minutes' and lease_until is null",
        [platformChatId],
      );
      return rows.length === 1 && lines().length >= count;
    });
  await waits(2);
  expect(lines()).toHaveLength(2);
  await services.harness.asOwner(
    'update webhooks.chats set paced_until = null, ready_at = now() where platform_chat_id = $1',
    [platformChatId],
  );
  expect(await delivered(services, long)).toMatchObject({ state: 'sent' });
  expect(lines()).toHaveLength(4);
});

test('a report that a place accepts nothing blocks that place; messages that wait there are dropped', async () => {
  const { reply, lines, platformChatId } = openRoom();
  const askedAt = new Date(Date.now() - 60_000).toISOString();
  const [refused, waiting] = [reply('refused', { askedAt }), reply('waits', { askedAt })];
  rooms.answerNext(platformChatId, { outcome: 'refused', reason: 'the door is shut', isOfPlace: true });
  await publishReplies(services, refused, waiting);
  expect(await delivered(services, refused)).toMatchObject({
    state: 'failed',
    lastError: 'the door is shut',
  });
  expect(await delivered(services, waiting)).toMatchObject({ state: 'failed' });
  expect(lines()).toEqual([]);
  const [blocked] = await eventually('it is announced', async () => {
    const changes = await eventsOf(services.harness, chatChanged);
    const here = changes.filter((event) => event.platformChatId === platformChatId);
    return here.length > 0 && here;
  });
  expect(blocked).toMatchObject({ state: 'blocked', reason: 'the door is shut' });
});

test('a renamed place keeps its conversation, and queued replies go there', async () => {
  const { reply, platformChatId } = openRoom();
  const hall = platformChatId.replace('room:', 'hall:');
  const [first, second] = [reply('first'), reply('second')];
  rooms.rename(platformChatId, hall);
  await publishReplies(services, first, second);
  expect(await delivered(services, second)).toMatchObject({ state: 'sent' });
  expect(rooms.linesIn(hall)).toEqual(['FIRST', 'SECOND']);
  const moves = (await eventsOf(services.harness, chatMigrated)).filter(({ toChatId }) => toChatId === hall);
  expect(moves).toMatchObject([{ fromChatId: platformChatId, platform: 'messenger' }]);
});

test('a send of which nothing is known is repeated once, and announced as uncertain', async () => {
  const { reply, lines, platformChatId } = openRoom();
  const unclear = reply('unclear');
  rooms.answerNext(platformChatId, { outcome: 'failed', reason: 'no answer', isUnclear: true });
  await publishReplies(services, unclear);
  expect(await delivered(services, unclear)).toMatchObject({ state: 'sent', isUncertain: true });
  expect(lines()).toEqual(['UNCLEAR']);
});

test('a process that died while it sent: its part is sent again once, as uncertain, before later ones', async () => {
  const { reply, lines, platformChatId } = openRoom();
  const [first, second] = [reply('first'), reply('second')];
  await holdChat(services, bot, platformChatId);
  await publishReplies(services, first, second);
  const [part] = await eventually('both are queued', async () => {
    const parts = await partsIn(services, platformChatId);
    return parts.length === 2 && parts;
  });
  await services.harness.asOwner(
    "update webhooks.parts set state = 'sending', sends = 1, open_sends = 1 where part_id = $1",
    [part!.part_id],
  );
  await expireLease(services, platformChatId);
  expect(await delivered(services, first)).toMatchObject({ state: 'sent', isUncertain: true });
  expect(await delivered(services, second)).toMatchObject({ state: 'sent', isUncertain: false });
  expect(lines()).toEqual(['FIRST', 'SECOND']);
});
