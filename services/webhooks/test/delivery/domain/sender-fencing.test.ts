import { randomUUID } from 'node:crypto';
import { withPlatform, withTenant } from '@botyard/shared/db/database';
import { allotmentValues, statementsOf } from '@botyard/shared/work/leased-queue/queue-table';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { type ClaimedChat, chatQueue, renewLease } from '../../../src/delivery/store/chats.ts';
import {
  callsFor,
  callsInChat,
  conversationOf,
  delivered,
  expireLease,
  holdChat,
  partsIn,
  publishReplies,
  textsIn,
} from '../../replies.ts';
import { TcpProxy } from '../../tcp-proxy.ts';
import {
  closeWebhooksServices,
  type Integration,
  newIntegration,
  openWebhooksServices,
  registered,
  save,
  startWebhooks,
  type WebhooksServices,
} from '../../webhooks-services.ts';

let services: WebhooksServices;
let postgres: TcpProxy;
let bot: Integration;

beforeAll(async () => {
  services = await openWebhooksServices();
  postgres = await TcpProxy.before(inject('postgresUrl'));
  const url = postgres.through(services.harness.databaseUrl('webhooks'));
  await startWebhooks(services, { DATABASE_URL: url });
  await startWebhooks(services, { DATABASE_URL: url });
  bot = await save(services, newIntegration(services));
  await registered(services, bot);
});

beforeEach(() => services.messenger.clearFaults());

afterAll(async () => {
  await closeWebhooksServices(services);
  await postgres.cut();
});

const asBefore = `update webhooks.chats set fence = 3, owner = null, lease_until = null, ready_at = now()
  where platform_chat_id = $1`;

const callOf = (platformChatId: string, count = 1) =>
  eventually('the call has begun', () => callsFor(services, platformChatId).length >= count);

/** How often the pools of workers, who look once a second, have missed the database. */
const missed = () =>
  services.harness.logLines.filter((line) => line.includes('work could not be claimed')).length;

const takeovers = () =>
  services.harness.logLines.filter((line) => line.includes('a chat was taken over by another worker')).length;

test('a worker that lost its chat during a send still writes the outcome, and begins nothing (F-25)', async () => {
  const { reply, platformChatId } = conversationOf(bot);
  const [slow, next] = [reply('slow'), reply('next')];
  const goOn = services.messenger.hold('sendMessage');
  await publishReplies(services, slow, next);
  await callOf(platformChatId);
  const before = takeovers();
  await holdChat(services, bot, platformChatId);
  goOn();
  await eventually('the worker has noticed', () => takeovers() > before);
  expect(await delivered(services, slow)).toMatchObject({ state: 'sent', isUncertain: false });
  expect(await partsIn(services, platformChatId)).toMatchObject([
    { state: 'sent', platform_message_id: expect.any(String), is_uncertain: false },
    { state: 'queued' },
  ]);
  expect(callsFor(services, platformChatId)).toHaveLength(1);
});

test("a worker's late result does not overwrite a send that another one has begun", async () => {
  const { reply, platformChatId } = conversationOf(bot);
  const slow = reply('slow');
  const goOn = services.messenger.hold('sendMessage');
  await publishReplies(services, slow);
  await callOf(platformChatId);
  const before = takeovers();
  await holdChat(services, bot, platformChatId);
  await services.harness.asOwner(
    'update webhooks.parts set sends = sends + 1, open_sends = open_sends + 1, is_uncertain = true where platform_chat_id = $1',
    [platformChatId],
  );
  goOn();
  const { calls } = services.messenger;
  await calls.waitFor(({ params, status }) => String(params.chat_id) === platformChatId && status === 200);
  await eventually('the worker has noticed', () => takeovers() > before);
  expect(await partsIn(services, platformChatId)).toMatchObject([
    { state: 'sending', platform_message_id: null },
  ]);
});

test('a part whose worker died in the send is sent again once the lease has expired, as uncertain (P9)', async () => {
  const { reply, platformChatId } = conversationOf(bot);
  const [first, second] = [reply('first'), reply('second')];
  await holdChat(services, bot, platformChatId);
  await publishReplies(services, first, second);
  await eventually('both are queued', async () => (await partsIn(services, platformChatId)).length === 2);
  const [begun] = await partsIn(services, platformChatId);
  await services.harness.asOwner("update webhooks.parts set state = 'sending' where part_id = $1", [
    begun!.part_id,
  ]);
  expect(callsFor(services, platformChatId)).toEqual([]);
  await expireLease(services, platformChatId);
  expect(await delivered(services, first)).toMatchObject({ state: 'sent', isUncertain: true });
  expect(await delivered(services, second)).toMatchObject({ state: 'sent', isUncertain: false });
  expect(textsIn(services, platformChatId)).toEqual(['first', 'second']);
});

test('two calls for one part that together outlast the lease are no reason for another worker to send', async () => {
  const { reply, platformChatId } = conversationOf(bot);
  const slow = reply('slow and **refused**');
  services.messenger.delay('sendMessage', 4500);
  services.messenger.failNext('sendMessage', {
    on: callsInChat(platformChatId),
    status: 400,
    description: "Bad Request: can't parse entities: x",
  });
  await publishReplies(services, slow);
  expect(await delivered(services, slow)).toMatchObject({ state: 'sent', isUncertain: false });
  expect(callsFor(services, platformChatId)).toHaveLength(2);
});

test('the database fails during a send: the result is written afterwards, and nothing is sent again', async () => {
  const { reply, platformChatId } = conversationOf(bot);
  const sent = reply('sent once');
  const goOn = services.messenger.hold('sendMessage');
  await publishReplies(services, sent);
  await callOf(platformChatId);
  await postgres.cut();
  goOn();
  const { calls } = services.messenger;
  await calls.waitFor(({ params, status }) => String(params.chat_id) === platformChatId && status === 200);
  const settling = delivered(services, sent);
  const before = missed();
  await eventually('the database is missed for a while', () => missed() > before + 2);
  await postgres.open();
  expect(await settling).toMatchObject({ state: 'sent', isUncertain: false });
  expect(callsFor(services, platformChatId)).toHaveLength(1);
});

test('a send that was begun in a commit of which the answer was lost is made once, and is not uncertain', async () => {
  const { reply, platformChatId } = conversationOf(bot);
  const [first, second] = [reply('first'), reply('begun once')];
  const goOn = services.messenger.hold('sendMessage');
  await publishReplies(services, first, second);
  await eventually('both are queued', async () => (await partsIn(services, platformChatId)).length === 2);
  postgres.loseNext({ asked: 'webhooks.parts.begin', answered: 'COMMIT' });
  goOn();
  expect(await delivered(services, second)).toMatchObject({ state: 'sent', isUncertain: false });
  expect(postgres.hasLost).toBe(true);
  expect(textsIn(services, platformChatId)).toEqual(['first', 'begun once']);
});

test('the number of a claim that a crash of the database undid is not given to the next claim', async () => {
  const { reply, platformChatId } = conversationOf(bot);
  await publishReplies(services, reply('hello'));
  await callOf(platformChatId);
  const values = {
    ...allotmentValues({ limit: 50, share: 50, free: 50, after: bot.tenantId, running: new Map() }),
    processId: randomUUID(),
    held: [],
  };
  const text = statementsOf(chatQueue('messenger'), true).claim;
  const database = services.harness.databaseAs('webhooks');
  // As if all since the message before was undone: the row is the one of then.
  const claim = () =>
    eventually('it is claimed', () =>
      withPlatform(database, 'test', async (tx) => {
        await tx.query({ name: 'test.chats.undo', text: asBefore, values: [platformChatId] });
        const chats = await tx.query({ name: 'test.chats.claim', text, values });
        return chats.find((chat) => chat.chatKey === platformChatId);
      }),
    );
  const [undone, next] = [await claim(), await claim()];
  const renew = (chat: ClaimedChat) => withTenant(database, [bot.tenantId], (tx) => renewLease(tx, chat));
  expect(await renew(undone)).toBe(false);
  expect(await renew(next)).toBe(true);
});
