import { messageReceived, replyRated } from '@botyard/contracts/events/webhooks';
import { signed } from '@botyard/testing/slack/delivery';
import { envelope, reactionEvent } from '@botyard/testing/slack/events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { conversationIdOf } from '../../../src/chats/domain/conversation-id.ts';
import { delivered, publishReplies } from '../../replies.ts';
import { eventsOf, publishedAll } from '../../webhooks-services.ts';
import {
  closeSlackServices,
  conversationIn,
  newBot,
  openSlackServices,
  placesOf,
  type SlackServices,
  settled,
} from './slack-services.ts';

let services: SlackServices;
beforeAll(async () => {
  services = await openSlackServices();
});
afterAll(() => closeSlackServices(services));

type Place = 'channel' | 'direct' | 'thread of direct';

/** A bot and its answer to a person. */
async function newAnswer(place: Place) {
  const { slack } = services;
  const bot = await newBot(services);
  const { person, direct, channel: support } = placesOf(services, bot);
  const channel = place === 'channel' ? support : direct;
  const root = slack.say({ channel, person, text: 'x' });
  const thread = place === 'direct' ? {} : { threadId: root.ts };
  const conversationId = conversationIdOf({ botId: bot.botId, platform: 'slack' }, channel.id, thread);
  const reply = {
    ...conversationIn(bot, { platformChatId: channel.id, ...thread })('Hello'),
    conversationId,
  };
  await publishReplies(services, reply);
  await delivered(services, reply);
  const { message } = slack.sent.all.findLast((one) => one.channel === channel.id)!;
  const react = async (reaction: string, isAdded = true, by = person) => {
    const from = slack.deliveries.count;
    slack.react({ channel, person: by, message, reaction }, isAdded);
    const deliveries = await settled(services, from);
    expect(deliveries.map(({ attempts }) => attempts.at(-1)?.status)).toEqual(deliveries.map(() => 200));
    return deliveries;
  };
  const ratings = async () => {
    await publishedAll(services);
    return (await eventsOf(services.harness, replyRated)).filter(({ botId }) => botId === bot.botId);
  };
  return { bot, channel, person, root, message, reply, react, ratings };
}

test.each<Place>(['channel', 'direct', 'thread of direct'])(
  'thumbs at an answer in a %s are announced with their person, one by one, and never as messages',
  async (place) => {
    const { bot, person, reply, react, ratings } = await newAnswer(place);
    const said = async () =>
      (await eventsOf(services.harness, messageReceived)).filter(({ botId }) => botId === bot.botId).length;
    const before = await said();
    expect(await react('+1::skin-tone-3')).toHaveLength(1);
    await react('-1');
    await react('+1::skin-tone-3', false);
    await react('tada');
    const { replyId, conversationId } = reply;
    const ofAnswer = { replyId, conversationId, platformUserId: person.id };
    expect(await ratings()).toMatchObject([
      { ...ofAnswer, rating: 'up', reaction: '+1::skin-tone-3' },
      { ...ofAnswer, rating: 'down', reaction: '-1' },
      { ...ofAnswer, rating: null, reaction: '+1::skin-tone-3' },
    ]);
    expect(await said()).toBe(before);
  },
);

test('an event that the platform sends again is announced once, and a thumb that is added again is announced again', async () => {
  const { bot, channel, person, message, react, ratings } = await newAnswer('channel');
  const event = reactionEvent('reaction_added', {
    channel,
    person,
    message,
    reaction: '+1',
    eventTs: services.slack.world.newTs(),
  });
  const from = services.slack.deliveries.count;
  for (let time = 0; time < 3; time++) services.slack.send(bot.installation, event, { eventId: 'EvAgain' });
  await settled(services, from);
  expect(await ratings()).toHaveLength(1);
  await react('+1');
  await react('+1', false);
  await react('+1');
  expect((await ratings()).map(({ rating }) => rating)).toEqual(['up', 'up', null, 'up']);
});

test.each<Place>(['channel', 'direct'])(
  'a thumb in a %s that comes before the end of the send is stored is announced when it comes again',
  async (place) => {
    const { channel, person, message, reply, ratings } = await newAnswer(place);
    const { slack, harness } = services;
    const from = slack.deliveries.count;
    const setPart = (state: string, id: string | null) =>
      harness.asOwner(
        'update webhooks.parts set state = $2, platform_message_id = $3 where reply_id = $1 returning part_id',
        [reply.replyId, state, id],
      );
    expect(await setPart('sending', null)).toHaveLength(1);
    slack.react({ channel, person, message, reaction: '+1' });
    await slack.deliveries.waitFor(
      (delivery) => delivery.state === 'retrying' && delivery.body.includes(message.ts),
    );
    await setPart('sent', message.ts);
    await slack.deliveries.waitFor(
      (delivery) => delivery === slack.deliveries.all[from] && /delivered|dropped/.test(delivery.state),
    );
    expect(await ratings()).toMatchObject([{ replyId: reply.replyId, rating: 'up' }]);
  },
);

test('an answer is found after its channel got another identifier', async () => {
  const { bot, channel, person, message, reply, ratings } = await newAnswer('channel');
  const { slack } = services;
  const moved = slack.world.addChannel(bot.teamId, { members: [...channel.members] });
  const from = slack.deliveries.count;
  slack.send(bot.installation, {
    type: 'channel_id_changed',
    old_channel_id: channel.id,
    new_channel_id: moved.id,
    event_ts: slack.world.newTs(),
  });
  await settled(services, from);
  slack.react({ channel: moved, person, message, reaction: '-1' });
  await settled(services, from);
  expect(await ratings()).toMatchObject([{ replyId: reply.replyId, rating: 'down' }]);
});

test("thumbs at messages of people, of other bots and of nobody, and the bot's own thumb, are announced for no answer", async () => {
  const { bot, channel, person, root, message, ratings } = await newAnswer('channel');
  const other = await newAnswer('channel');
  const { slack } = services;
  const from = slack.deliveries.count;
  slack.react({ channel, person, message: root, reaction: '+1' });
  const own = slack.world.people.get(bot.installation.botUserId)!;
  slack.react({ channel, person: own, message, reaction: '+1' });
  const unknown = [
    { ...message, ts: '1700000000.000100' },
    // The message of another tenant's bot, in this channel and without its author.
    { ...other.message, user: undefined },
    { ...message, user: undefined, ts: `${'9'.repeat(12)}.${'9'.repeat(9)}` },
  ];
  for (const { user: _user, ...one } of unknown)
    slack.send(
      bot.installation,
      reactionEvent('reaction_added', {
        channel,
        person,
        message: one,
        reaction: '+1',
        eventTs: slack.world.newTs(),
      }),
    );
  const deliveries = await settled(services, from);
  expect(deliveries.map(({ attempts }) => attempts.at(-1)?.status)).toEqual(deliveries.map(() => 200));
  expect(await ratings()).toEqual([]);
  expect(await other.ratings()).toEqual([]);
});

test('ten thousand reactions with other names, and one whose name fills the body, are answered and announced for nothing', async () => {
  const { bot, channel, person, message, ratings } = await newAnswer('channel');
  const { gateway, slack } = services;
  const { signingSecret } = bot.installation.app;
  const post = async (reaction: string) => {
    const event = reactionEvent('reaction_added', {
      channel,
      person,
      message,
      reaction,
      eventTs: slack.world.newTs(),
    });
    const body = JSON.stringify(envelope(bot.installation, event, { ofTeam: bot.teamId }));
    const headers = { 'content-type': 'application/json', ...signed(signingSecret, body) };
    const answer = await fetch(`${gateway.url}/webhooks/slack/${bot.botId}`, {
      method: 'POST',
      headers,
      body,
    });
    await answer.arrayBuffer();
    return answer.status;
  };
  const statuses = new Set<number>();
  for (let from = 0; from < 10_000; from += 100)
    for (const status of await Promise.all(Array.from({ length: 100 }, (_, n) => post(`emoji-${from + n}`))))
      statuses.add(status);
  expect([...statuses]).toEqual([200]);
  expect(await post('+1'.repeat(200_000))).toBe(200);
  expect(await post('+1'.repeat(400_000))).toBe(413);
  expect(await ratings()).toEqual([]);
});
