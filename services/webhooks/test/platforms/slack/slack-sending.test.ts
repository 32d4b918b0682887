import { randomUUID } from 'node:crypto';
import { typing } from '@botyard/contracts/events/agents';
import { signal } from '@botyard/shared/bus/signals';
import { eventually } from '@botyard/testing/eventually';
import { buttonsUnder } from '@botyard/testing/slack/events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { delivered, publishReplies } from '../../replies.ts';
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

async function newChannel() {
  const bot = await newBot(services);
  const places = placesOf(services, bot);
  const { slack } = services;
  const root = slack.say({ channel: places.channel, person: places.person, text: 'x' });
  const sent = () =>
    slack.sent.filter(({ channel }) => channel === places.channel.id).map(({ message }) => message);
  const reply = conversationIn(bot, { platformChatId: places.channel.id, threadId: root.ts });
  return { ...places, bot, root, sent, reply };
}

const markdownOf = (blocks: unknown) => (blocks as { text: string }[])[0]?.text;

test('an answer is sent once, in its thread, as Markdown with a text for notifications', async () => {
  const { reply, root, sent } = await newChannel();
  const answer = reply('# News\n\n**Nothing** <!channel>');
  await publishReplies(services, answer, answer);
  const announced = await delivered(services, answer);
  const [message, ...others] = sent();
  expect(others).toEqual([]);
  expect(announced).toMatchObject({ state: 'sent', platformMessageIds: [message?.ts] });
  expect(message).toMatchObject({ threadTs: root.ts, text: expect.stringContaining('News Nothing') });
  expect(markdownOf(message?.blocks)).toBe('# News\n\n**Nothing** <\u2060!channel>');
});

test('choices are buttons under the answer, and words where the platform refuses blocks', async () => {
  const { channel, reply, sent } = await newChannel();
  const choices = ['Yes', '<!channel>', 'x'.repeat(40)];
  const [first, second] = [reply('Shall we?'), reply('And now?')].map((one) => ({ ...one, choices }));
  await publishReplies(services, first!);
  await delivered(services, first!);
  const refusal = { status: 200, body: { ok: false, error: 'invalid_blocks' } };
  services.slack.fail('chat.postMessage', { ...refusal, on: ({ params }) => params.channel === channel.id });
  await publishReplies(services, second!);
  await delivered(services, second!);
  const [shown, plain] = sent();
  expect(buttonsUnder(shown!)).toEqual(choices);
  expect(plain).toMatchObject({
    text: `And now?\n• Yes\n• &lt;!channel&gt;\n• ${'x'.repeat(40)}`,
  });
  expect(plain!.blocks).toBeUndefined();
});

test('answers of one channel keep their order, and no more than the platform takes', async () => {
  const { reply, sent } = await newChannel();
  const answers = ['one', 'two', 'three'].map(reply);
  await publishReplies(services, ...answers);
  await delivered(services, answers[2]!);
  expect(sent().map(({ blocks }) => markdownOf(blocks))).toEqual(['one', 'two', 'three']);
  const at = sent().map(({ ts }) => Number(ts));
  expect(at[2]! - at[0]!).toBeGreaterThan(1.8);
});

test('a message that the platform calls too long is split and sent again, and nothing is lost', async () => {
  const { channel, reply, sent } = await newChannel();
  const { slack } = services;
  const tooLong = { status: 200, body: { ok: false, error: 'msg_blocks_too_long' } };
  slack.fail('chat.postMessage', { ...tooLong, on: ({ params }) => params.channel === channel.id });
  const words = Array.from({ length: 400 }, (_, index) => `word${index}`).join(' ');
  const answer = reply(words);
  await publishReplies(services, answer);
  expect(await delivered(services, answer)).toMatchObject({ state: 'sent', isUncertain: false });
  expect(sent()).toHaveLength(2);
  expect(
    sent()
      .map(({ blocks }) => markdownOf(blocks))
      .join(' '),
  ).toBe(words);
});

test('a wait of the platform holds that channel alone, and goes on where it stopped', async () => {
  const [held, free] = [await newChannel(), await newChannel()];
  services.slack.fail('chat.postMessage', {
    status: 429,
    headers: { 'retry-after': '2' },
    body: { ok: false, error: 'ratelimited' },
    on: ({ params }) => params.channel === held.channel.id,
  });
  const [late, early] = [held.reply('late'), free.reply('early')];
  await publishReplies(services, late);
  await eventually(
    'the platform asked to wait',
    () =>
      services.slack.calls.filter(
        ({ params, status }) => params.channel === held.channel.id && status === 429,
      ).length > 0,
  );
  await publishReplies(services, early);
  await delivered(services, early);
  expect(held.sent()).toEqual([]);
  expect(await delivered(services, late)).toMatchObject({ state: 'sent', isUncertain: false });
});

test('a send of which nothing is known is repeated once, and announced as uncertain', async () => {
  const { channel, reply, sent } = await newChannel();
  services.slack.fail('chat.postMessage', {
    cut: 'after',
    on: ({ params }) => params.channel === channel.id,
  });
  const answer = reply('unclear');
  await publishReplies(services, answer);
  expect(await delivered(services, answer)).toMatchObject({ state: 'sent', isUncertain: true });
  expect(sent()).toHaveLength(2);
});

test.each([
  ['not_in_channel', 'invite the bot to the channel'],
  ['is_archived', 'the channel is archived'],
])('%s fails with what to do, and what waits there is given up', async (error, advice) => {
  const { channel, reply, sent } = await newChannel();
  services.slack.refuse(channel.id, error);
  const answer = reply('Hello');
  await publishReplies(services, answer);
  const announced = await delivered(services, answer);
  expect(announced).toMatchObject({ state: 'failed', lastError: expect.stringContaining(advice) });
  expect(sent()).toEqual([]);
});

test('while the bot works, its status shows in the thread, and beneath the message in direct messages', async () => {
  const { bot, direct, person, channel, root } = await newChannel();
  const { slack, harness } = services;
  const from = slack.deliveries.count;
  const said = slack.say({ channel: direct, person, text: 'Hello' });
  await settled(services, from);
  const bus = await harness.busAs('agents');
  const { botId, integrationId } = bot;
  const ids = { botId, integrationId, conversationId: randomUUID() };
  const [inDirect, inThread] = [
    { platformChatId: direct.id, kind: 'private' as const, title: 'Anna' },
    { platformChatId: channel.id, kind: 'group' as const, title: '#support', threadId: root.ts },
  ];
  for (const chat of [inDirect, inThread]) signal(bus, typing, { ...ids, chat });
  const shown = (id: string) => slack.statuses.waitFor((status) => status.channel === id);
  expect(await shown(direct.id)).toMatchObject({ threadTs: said.ts, status: 'is typing…' });
  expect(await shown(channel.id)).toMatchObject({ threadTs: root.ts });
});
