import { replyDelivered } from '@botyard/shared/events/webhooks';
import { eventually } from '@botyard/shared/testing/eventually';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import {
  callsFor,
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
  closeSurroundings,
  eventsOf,
  type Integration,
  newIntegration,
  openSurroundings,
  registered,
  save,
  startWebhooks,
  type WebhooksServices,
} from '../../webhooks-services.ts';

let services: WebhooksServices;
let postgres: TcpProxy;
let bot: Integration;

beforeAll(async () => {
  services = await openSurroundings();
  postgres = await TcpProxy.before(inject('postgresUrl'));
  const url = postgres.through(services.harness.databaseUrl('webhooks'));
  await startWebhooks(services, { DATABASE_URL: url });
  await startWebhooks(services, { DATABASE_URL: url });
  bot = await save(services, newIntegration(services));
  await registered(services, bot);
});

beforeEach(() => services.messenger.clearFaults());

afterAll(async () => {
  await closeSurroundings(services);
  await postgres.cut();
});

const callOf = (platformChatId: string, count = 1) =>
  eventually('the call has begun', () => callsFor(services, platformChatId).length >= count);

/** How often the pools of workers, who look once a second, have missed the database. */
const missed = () =>
  services.harness.logLines.filter((line) => line.includes('work could not be claimed')).length;

const wasTakenOver = () =>
  services.harness.logLines.some((line) => line.includes('a chat was taken over by another worker'));

test('a worker that lost its chat during a send writes nothing (F-25)', async () => {
  const { reply, platformChatId } = conversationOf(bot);
  const slow = reply('slow');
  services.messenger.delay('sendMessage', 400);
  await publishReplies(services, slow);
  await callOf(platformChatId);
  await holdChat(services, bot, platformChatId);
  await eventually('the worker has noticed', wasTakenOver);
  expect(await partsIn(services, platformChatId)).toMatchObject([
    { state: 'sending', platform_message_id: null, attempts: 0, is_uncertain: false },
  ]);
  const announced = await eventsOf(services.harness, replyDelivered);
  expect(announced.filter(({ replyId }) => replyId === slow.replyId)).toEqual([]);
});

test('a part whose worker died in the send goes out again once the lease is over, as uncertain (P9)', async () => {
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
    status: 400,
    description: "Bad Request: can't parse entities: x",
  });
  await publishReplies(services, slow);
  expect(await delivered(services, slow)).toMatchObject({ state: 'sent', isUncertain: false });
  expect(callsFor(services, platformChatId)).toHaveLength(2);
});

test('a database that goes away during a send: what was sent is written down afterwards, not sent again', async () => {
  const { reply, platformChatId } = conversationOf(bot);
  const sent = reply('sent once');
  services.messenger.delay('sendMessage', 300);
  await publishReplies(services, sent);
  await callOf(platformChatId);
  await postgres.cut();
  const { calls } = services.messenger;
  await calls.waitFor(({ params, status }) => String(params.chat_id) === platformChatId && status === 200);
  const settling = delivered(services, sent);
  const before = missed();
  await eventually('the database is missed for a while', () => missed() > before + 2);
  await postgres.open();
  expect(await settling).toMatchObject({ state: 'sent', isUncertain: false });
  expect(callsFor(services, platformChatId)).toHaveLength(1);
});
