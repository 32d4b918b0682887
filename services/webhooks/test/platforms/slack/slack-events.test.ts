import {
  accountChanged,
  messageDeleted,
  messageEdited,
  messageReceived,
  registrationChanged,
} from '@botyard/contracts/events/webhooks';
import { eventually } from '@botyard/testing/eventually';
import { signed } from '@botyard/testing/slack/delivery';
import { envelope } from '@botyard/testing/slack/events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventsOf, publishedAll } from '../../webhooks-services.ts';
import {
  closeSlackServices,
  newBot,
  openSlackServices,
  placesOf,
  type SlackBot,
  type SlackServices,
  settled,
} from './slack-services.ts';

let services: SlackServices;
beforeAll(async () => {
  services = await openSlackServices();
});
afterAll(() => closeSlackServices(services));

/** The bot's messages, after everything that the platform sent until now was answered. */
async function received({ botId }: SlackBot, from: number) {
  const statuses = (await settled(services, from)).map(({ attempts }) => attempts.at(-1)?.status);
  expect(new Set(statuses)).toEqual(new Set([200]));
  await publishedAll(services);
  return (await eventsOf(services.harness, messageReceived)).filter((event) => event.botId === botId);
}

test("a bot's address answers the challenge that is signed with its own secret, and no other", async () => {
  const { slack, gateway } = services;
  const bot = await newBot(services);
  const address = `${gateway.url}/webhooks/slack/${bot.botId}`;
  expect(bot.installation.app.requestUrl).toBe(address);
  await expect(slack.apps.setRequestUrl(slack.apps.add(), address)).rejects.toThrow('401');
});

test('a direct message is admitted once, with the names of the person', async () => {
  const bot = await newBot(services);
  const { direct, person } = placesOf(services, bot);
  const from = services.slack.deliveries.count;
  const { ts } = services.slack.say({ channel: direct, person, text: `Hi &amp; <@${person.id}>` });
  expect(await received(bot, from)).toMatchObject([
    {
      text: 'Hi & @Anna',
      chat: { platformChatId: direct.id, kind: 'private', title: 'Anna' },
      sender: { platformUserId: person.id, name: 'Anna', language: 'en-US' },
      platformMessageId: ts,
    },
  ]);
});

test("an account's first verified delivery is announced, and only that one", async () => {
  const bot = await newBot(services);
  const { direct, person } = placesOf(services, bot);
  const announced = async () =>
    (await eventsOf(services.harness, registrationChanged)).filter(
      ({ integrationId }) => integrationId === bot.integrationId,
    );
  expect(await announced()).toEqual([]);
  for (const text of ['one', 'two']) {
    const from = services.slack.deliveries.count;
    services.slack.say({ channel: direct, person, text });
    await received(bot, from);
    expect(await announced()).toMatchObject([{ state: 'registered', checkedAt: expect.any(String) }]);
  }
});

test('a mention in a channel is two events and one message, in a thread in which the bot stays', async () => {
  const bot = await newBot(services);
  const { channel, person, mention } = placesOf(services, bot);
  const { slack } = services;
  const from = slack.deliveries.count;
  slack.say({ channel, person, text: 'Nobody is asked' });
  const root = slack.say({ channel, person, text: `${mention} what is new?` });
  expect(await received(bot, from)).toMatchObject([{ text: 'what is new?', chat: { title: '#support' } }]);
  slack.say({ channel, person, text: 'And tomorrow?', threadTs: root.ts });
  slack.say({
    channel,
    person,
    text: 'Another thread',
    threadTs: slack.say({ channel, person, text: 'x' }).ts,
  });
  const [first, second, ...others] = await received(bot, from);
  expect(others).toEqual([]);
  expect(second).toMatchObject({ text: 'And tomorrow?', conversationId: first?.conversationId });
  expect(second?.chat).toMatchObject({ threadId: root.ts, threadKind: 'thread' });
});

test('what the platform sends again is recognized: the event, the message, and what the app of a person sends again', async () => {
  const bot = await newBot(services);
  const { direct, person } = placesOf(services, bot);
  const { slack } = services;
  const from = slack.deliveries.count;
  const event = {
    type: 'message',
    user: person.id,
    channel: direct.id,
    channel_type: 'im',
    client_msg_id: `c-${person.id}`,
  };
  const send = (change: object, eventId: string) =>
    slack.send(bot.installation, { ...event, ...change }, { eventId, name: 'message.im' });
  send({ text: 'once', ts: '1700000000.000100' }, `EvA${person.id}`);
  await settled(services, from);
  send({ text: 'once', ts: '1700000000.000100' }, `EvA${person.id}`);
  send({ text: 'once', ts: '1700000000.000100' }, `EvB${person.id}`);
  send({ text: 'once', ts: '1700000021.000100' }, `EvC${person.id}`);
  send({ text: 'twice', ts: '1700000022.000100', client_msg_id: undefined }, `EvD${person.id}`);
  expect((await received(bot, from)).map(({ text }) => text)).toEqual(['once', 'twice']);
});

test('one event id for two apps is two messages', async () => {
  const [one, other] = [await newBot(services), await newBot(services)];
  const from = services.slack.deliveries.count;
  for (const bot of [one, other]) {
    const { direct, person } = placesOf(services, bot);
    const event = {
      type: 'message',
      user: person.id,
      channel: direct.id,
      text: 'Hi',
      ts: '1700000000.000100',
    };
    services.slack.send(bot.installation, event, { eventId: 'EvShared', name: 'message.im' });
  }
  expect([await received(one, from), await received(other, from)]).toMatchObject([
    [{ text: 'Hi' }],
    [{ text: 'Hi' }],
  ]);
});

test('an event that is not acknowledged comes again, and is admitted once', async () => {
  const bot = await newBot(services);
  const { direct, person } = placesOf(services, bot);
  const { slack, harness } = services;
  const from = slack.deliveries.count;
  await harness.asOwner('alter table webhooks.deliveries rename to deliveries_away');
  slack.say({ channel: direct, person, text: 'Hello?' });
  await slack.deliveries.waitFor(
    (delivery) => delivery.state === 'retrying' && delivery.body.includes(person.id),
  );
  await harness.asOwner('alter table webhooks.deliveries_away rename to deliveries');
  const deliveries = await settled(services, from);
  for (const one of deliveries)
    await slack.deliveries.waitFor(
      (delivery) => delivery === one && /delivered|dropped/.test(delivery.state),
    );
  expect((await received(bot, from)).map(({ text }) => text)).toEqual(['Hello?']);
});

test('edits and deletions change what was said', async () => {
  const bot = await newBot(services);
  const { direct, person } = placesOf(services, bot);
  const { slack, harness } = services;
  const from = slack.deliveries.count;
  const message = slack.say({ channel: direct, person, text: 'Helo' });
  await settled(services, from);
  slack.edit(direct, message, 'Hello');
  await received(bot, from);
  const edits = (await eventsOf(harness, messageEdited)).filter(({ botId }) => botId === bot.botId);
  expect(edits).toMatchObject([{ text: 'Hello', platformMessageId: message.ts }]);
  slack.remove(direct, message);
  const [said] = await received(bot, from);
  const deletions = (await eventsOf(harness, messageDeleted)).filter(({ botId }) => botId === bot.botId);
  expect(deletions).toMatchObject([
    { conversationId: said!.conversationId, platformMessageIds: expect.arrayContaining([message.ts]) },
  ]);
  const kept = await harness.asOwner<{ data: string }>(
    `select data from webhooks.outbox where data::jsonb ->> 'platformMessageId' = $1`,
    [message.ts],
  );
  expect(kept.map(({ data }) => JSON.parse(data).text)).toEqual(['', '']);
});

test('a message whose deletion came first is a duplicate, with all of its files', async () => {
  const bot = await newBot(services);
  const { direct, person } = placesOf(services, bot);
  const { slack, harness } = services;
  const from = slack.deliveries.count;
  const ts = '1700000000.000100';
  const message = { type: 'message', user: person.id, channel: direct.id, channel_type: 'im' };
  const files = ['a.txt', 'b.txt'].map((name, index) => ({ id: `F${index}`, name, size: 1 }));
  const send = (event: object, eventId: string) =>
    slack.send(bot.installation, { ...message, ...event }, { eventId, name: 'message.im' });
  send({ text: 'first', ts: '1690000000.000100' }, 'EvFirst');
  await settled(services, from);
  const deletion = { subtype: 'message_deleted', deleted_ts: ts, ts: '1700000001.000100' };
  send({ ...deletion, previous_message: { ...message, ts } }, 'EvDeletion');
  await settled(services, from);
  send({ text: 'late', ts, subtype: 'file_share', files }, 'EvLate');
  expect((await received(bot, from)).map(({ text }) => text)).toEqual(['first']);
  expect(await harness.asOwner('select from webhooks.media where bot_id = $1', [bot.botId])).toEqual([]);
});

test('a deletion removes the files of its message, and no others', async () => {
  const bot = await newBot(services);
  const { direct, person } = placesOf(services, bot);
  const { slack, harness } = services;
  const from = slack.deliveries.count;
  const files = (name: string) => [
    slack.world.addFile(bot.teamId, { name, mimetype: 'text/plain', content: Buffer.from(name) }),
  ];
  const message = slack.say({ channel: direct, person, text: 'one', files: files('one.txt') });
  slack.say({ channel: direct, person, text: 'two', files: files('two.txt') });
  await received(bot, from);
  slack.remove(direct, message);
  await received(bot, from);
  const left = await harness.asOwner<{ name: string }>('select name from webhooks.media where bot_id = $1', [
    bot.botId,
  ]);
  expect(left.map(({ name }) => name)).toEqual(['two.txt']);
});

test('a slash command and a press are acknowledged without words, and come as the person said them', async () => {
  const bot = await newBot(services);
  const { channel, person } = placesOf(services, bot);
  const { slack } = services;
  const from = slack.deliveries.count;
  const message = slack.world.addMessage(channel, { text: 'Send it?', botId: bot.installation.botId });
  slack.command(bot.installation, { channel, person, command: '/botyard', text: 'what is new?' });
  await settled(services, from);
  slack.press(bot.installation, { channel, person, message, label: 'Approve' });
  const answers = (await settled(services, from)).map(({ attempts }) => attempts[0]);
  expect(answers).toMatchObject([
    { status: 200, body: '' },
    { status: 200, body: '' },
  ]);
  const [asked, pressed] = await received(bot, from);
  expect(asked).toMatchObject({ text: 'what is new?', chat: { platformChatId: channel.id, kind: 'group' } });
  expect(pressed).toMatchObject({
    text: 'Approve',
    quote: { text: 'Send it?' },
    chat: { threadId: message.ts },
  });
});

test('an installation in a whole organization hears all its workspaces', async () => {
  const { slack } = services;
  const [one, other] = [slack.world.addTeam(undefined, 'EORG'), slack.world.addTeam(undefined, 'EORG')];
  const bot = await newBot(services, { place: { enterpriseId: 'EORG' } });
  const from = slack.deliveries.count;
  for (const teamId of [one, other]) {
    const { direct, person } = placesOf(services, { ...bot, teamId });
    slack.say({ channel: direct, person, text: `from ${teamId}` });
  }
  const texts = (await received(bot, from)).map(({ text }) => text);
  expect(new Set(texts)).toEqual(new Set([`from ${one}`, `from ${other}`]));
});

test('deliveries of another workspace with the same app, old ones and unsigned ones reach nobody', async () => {
  const { slack, gateway, harness } = services;
  const bot = await newBot(services);
  const { app } = bot.installation;
  const { direct, person } = placesOf(services, bot);
  const stranger = slack.apps.install(app, { teamId: slack.world.addTeam() });
  const event = saying(person.id, direct.id);
  const body = JSON.stringify(envelope(stranger, event, { ofTeam: stranger.teamId! }));
  const post = async (headers: Record<string, string>) => {
    const url = `${gateway.url}/webhooks/slack/${bot.botId}`;
    const all = { 'content-type': 'application/json', ...headers };
    return (await fetch(url, { method: 'POST', body, headers: all })).status;
  };
  expect(await post(signed(app.signingSecret, body))).toBe(200);
  expect(await post(signed('wrong', body))).toBe(401);
  const old = Math.floor(Date.now() / 1000) - 400;
  expect(await post(signed(app.signingSecret, body, old))).toBe(401);
  expect(await post({})).toBe(401);
  await publishedAll(services);
  const events = await eventsOf(harness, messageReceived);
  expect(events.filter(({ chat }) => chat.platformChatId === direct.id)).toEqual([]);
});

const saying = (user: string, channel: string) => ({
  type: 'message',
  user,
  channel,
  text: 'Hi',
  ts: '1700000000.000100',
});

test('a file is fetched with the token and stored, also one of another workspace', async () => {
  const bot = await newBot(services);
  const { direct, person } = placesOf(services, bot);
  const { slack, harness } = services;
  const file = (name: string, isOfAnother: boolean) =>
    slack.world.addFile(bot.teamId, {
      name,
      mimetype: 'text/plain',
      content: Buffer.from(name),
      isOfAnother,
    });
  slack.say({ channel: direct, person, text: 'See', files: [file('a.txt', false), file('b.txt', true)] });
  const rows = await eventually('both are stored', async () => {
    const media = await harness.asOwner<{ state: string }>(
      'select state from webhooks.media where bot_id = $1',
      [bot.botId],
    );
    return media.length === 2 && media.every(({ state }) => state === 'kept') && media;
  });
  expect(rows).toHaveLength(2);
});

test.each([[['app_uninstalled', 'tokens_revoked']], [['tokens_revoked', 'app_uninstalled']]] as const)(
  'the end of an installation is announced, whatever comes first: %s',
  async (order) => {
    const bot = await newBot(services);
    const from = services.slack.deliveries.count;
    services.slack.uninstall(bot.installation, order);
    await settled(services, from);
    await publishedAll(services);
    const { tenantId, integrationId } = bot;
    const changes = (await eventsOf(services.harness, accountChanged)).filter(
      (event) => event.integrationId === integrationId,
    );
    expect(changes).toMatchObject([
      { tenantId, state: 'removed' },
      { tenantId, state: 'removed' },
    ]);
  },
);
