import { randomUUID } from 'node:crypto';
import { handlingChanged, typing } from '@botyard/contracts/events/agents';
import { chatPreview } from '@botyard/contracts/events/chat-hints';
import { messageDeleted, messageReceived } from '@botyard/contracts/events/webhooks';
import { signal } from '@botyard/shared/bus/signals';
import { eventually } from '@botyard/testing/eventually';
import type { TestService } from '@botyard/testing/service-harness';
import { anonymous } from '@botyard/testing/test-call';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { conversationOf, delivered, publishReplies } from '../../replies.ts';
import {
  closeWebhooksServices,
  eventsOf,
  type Integration,
  openWebhooksServices,
  publishedAll,
  startWebhooks,
  type WebhooksServices,
} from '../../webhooks-services.ts';
import { hmacOf, openStream, postTo, saveChat, say } from './site.ts';

let services: WebhooksServices;
let instances: [TestService, TestService];
let bot: Integration;

beforeAll(async () => {
  services = await openWebhooksServices();
  instances = [await startWebhooks(services), await startWebhooks(services)];
  bot = await saveChat(services);
});
afterAll(() => closeWebhooksServices(services));

const ofChat = { platform: 'webchat' } as const;

/** A visitor who has written, with the messages that were admitted of them. */
async function newVisitor(text = 'Hello') {
  const { status, body } = await say(instances[0], bot, { text });
  expect(status).toBe(200);
  const { token } = body as { token: string };
  await publishedAll(services);
  const first = (await eventsOf(services.harness, messageReceived)).findLast(
    ({ platformMessageId }) => platformMessageId === body.message.id,
  )!;
  const visitorId = first.chat.platformChatId;
  const admitted = async () => {
    await publishedAll(services);
    const events = await eventsOf(services.harness, messageReceived);
    return events.filter(({ chat }) => chat.platformChatId === visitorId);
  };
  return { token, visitorId, first, admitted };
}

test('the first message makes the session and is admitted; a visit alone makes none', async () => {
  const visit = await openStream(instances[0], bot, {});
  expect(visit.status).toBe(204);
  const { token, first, visitorId } = await newVisitor('What does it cost?');
  expect(token).toMatch(/^[\w-]{43}$/);
  expect(first).toMatchObject({
    platform: 'webchat',
    text: 'What does it cost?',
    chat: { kind: 'private' },
    sender: { platformUserId: visitorId, isProven: false },
  });
  const [stored] = await services.harness.asOwner(
    'select * from webhooks.webchat_sessions where visitor_id = $1',
    [visitorId],
  );
  expect(JSON.stringify(stored)).not.toContain(token);
});

test('a message that is sent ten times, through two instances, is one message', async () => {
  const { token, admitted } = await newVisitor();
  const message = { token, clientId: randomUUID(), text: 'Once' };
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, index) => say(instances[index % 2]!, bot, message)),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
  expect(new Set(answers.map(({ body }) => body.message.id)).size).toBe(1);
  expect((await admitted()).map(({ text }) => text)).toEqual(['Hello', 'Once']);
});

test('a first message whose answer was lost is repeated, in turn or at once, and begins one session', async () => {
  const inTurn = { clientId: randomUUID(), text: 'Lost in turn' };
  const atOnce = { clientId: randomUUID(), startId: randomUUID(), text: 'Lost at once' };
  const answers = [
    await say(instances[0], bot, inTurn),
    await say(instances[1], bot, inTurn, { address: '198.51.100.20' }),
    ...(await Promise.all(Array.from({ length: 6 }, (_, at) => say(instances[at % 2]!, bot, atOnce)))),
    // Another tab knows nothing of the lost answer.
    await say(instances[1], bot, { startId: atOnce.startId, text: 'Next' }),
  ];
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  await publishedAll(services);
  const admitted = (await eventsOf(services.harness, messageReceived)).filter(({ text }) =>
    ['Lost in turn', 'Lost at once', 'Next'].includes(text ?? ''),
  );
  expect(admitted.map(({ text }) => text)).toEqual(['Lost in turn', 'Lost at once', 'Next']);
  const visitorIds = admitted.map(({ chat }) => chat.platformChatId);
  expect(visitorIds[1]).toBe(visitorIds[2]);
  expect(visitorIds[0]).not.toBe(visitorIds[1]);
  const kept = await services.harness.asOwner(
    'select 1 from webhooks.webchat_sessions where visitor_id = $1',
    [visitorIds[2]],
  );
  expect(kept).toHaveLength(6);
  const tokens = answers.map(({ body }) => body.token as string);
  for (const [token, text] of [
    [tokens[0], 'Lost in turn'],
    [tokens[1], 'Lost in turn'],
    [tokens.at(-1), 'Next'],
  ] as const) {
    const stream = await openStream(instances[0], bot, { token });
    await stream.has(({ data }) => data.text === text);
    await stream.close();
  }
});

test('a repeated first message opens neither the chat of another bot nor that of a verified visitor', async () => {
  const start = { clientId: randomUUID(), text: 'Mine' };
  const other = await saveChat(services);
  const identity = { userId: 'carla', hmac: hmacOf('carla') };
  await say(instances[0], bot, { ...start, identity });
  const [mine, theirs] = [await say(instances[0], bot, start), await say(instances[0], other, start)];
  await publishedAll(services);
  const admitted = (await eventsOf(services.harness, messageReceived)).filter(({ text }) => text === 'Mine');
  expect(admitted).toHaveLength(3);
  expect(new Set(admitted.map(({ conversationId }) => conversationId)).size).toBe(3);
  expect((await openStream(instances[0], other, { token: mine.body.token })).status).toBe(401);
  expect(theirs.body.token).not.toBe(mine.body.token);
});

test('an answer is in the open windows at every instance, in its order, and in those that are opened later', async () => {
  const { token, visitorId } = await newVisitor();
  const streams = await Promise.all(
    instances.map((instance) => openStream(instance, bot, { token, after: 0 })),
  );
  const conversation = conversationOf(bot, visitorId);
  const replies = ['One', 'Two', 'Three'].map((text) => conversation.reply(text, ofChat));
  await publishReplies(services, ...replies);
  expect(await delivered(services, replies[2]!)).toMatchObject({ state: 'sent', isUncertain: false });
  for (const { has } of streams) await has(({ data }) => data.text === 'Three');
  const later = await openStream(instances[1], bot, { token, after: 1 });
  await later.has(({ data }) => data.text === 'Three');
  expect(streams[0]!.texts()).toEqual(['Hello', 'One', 'Two', 'Three']);
  expect(streams[1]!.texts()).toEqual(['Hello', 'One', 'Two', 'Three']);
  expect(later.texts()).toEqual(['One', 'Two', 'Three']);
  await Promise.all([...streams, later].map(({ close }) => close()));
});

test('what staff write is shown as theirs', async () => {
  const { token, visitorId } = await newVisitor();
  const stream = await openStream(instances[0], bot, { token });
  const reply = conversationOf(bot, visitorId).reply('This is Ben', { ...ofChat, author: 'staff' });
  await publishReplies(services, reply);
  const { data } = await stream.has(({ data }) => data.text === 'This is Ben');
  expect(data).toMatchObject({ author: 'staff' });
  await stream.close();
});

test('a window at any instance shows that an answer is being written', async () => {
  const { token, first } = await newVisitor();
  const streams = await Promise.all(instances.map((instance) => openStream(instance, bot, { token })));
  await Promise.all(streams.map(({ has }) => has(({ event }) => event === 'ready')));
  const { botId, integrationId, conversationId, chat } = first;
  const agents = await services.harness.busAs('agents');
  signal(agents, typing, { botId, integrationId, conversationId, chat });
  await Promise.all(streams.map(({ has }) => has(({ event }) => event === 'typing')));
  await Promise.all(streams.map(({ close }) => close()));
});

test('a preview of an answer reaches the windows at every instance, and is stored nowhere', async () => {
  const { token, first, visitorId } = await newVisitor();
  const streams = await Promise.all(instances.map((instance) => openStream(instance, bot, { token })));
  await Promise.all(streams.map(({ has }) => has(({ event }) => event === 'ready')));
  const turnId = randomUUID();
  const { botId } = first;
  const preview = { botId, chat: { platformChatId: visitorId }, turnId };
  const agents = await services.harness.busAs('agents');
  signal(agents, chatPreview, { ...preview, text: 'We open' });
  signal(agents, chatPreview, { ...preview, text: null });
  for (const { has } of streams) {
    await has(({ event, data }) => event === 'preview' && data.text === 'We open');
    await has(({ event, data }) => event === 'preview' && data.text === null);
  }
  const later = await openStream(instances[0], bot, { token });
  await later.has(({ event }) => event === 'message');
  expect(later.events.filter(({ event }) => event === 'preview')).toEqual([]);
  await Promise.all([...streams, later].map(({ close }) => close()));
});

test('a person who takes over is announced in the window once, and so is the bot when it is back', async () => {
  const { token, first } = await newVisitor();
  const stream = await openStream(instances[1], bot, { token, after: 1 });
  const { tenantId, conversationId } = first;
  for (const handling of ['bot', 'person', 'person', 'bot'] as const)
    await services.harness.publish(handlingChanged, { tenantId, conversationId, handling });
  await stream.has(({ data }) => data.text === 'bot');
  expect(stream.texts()).toEqual(['person', 'bot']);
  expect(stream.events.at(-1)?.data).toMatchObject({ author: 'notice' });
  await stream.close();
});

test('what a visitor has seen is known at their next device: never less than before, never more than there is', async () => {
  const { token } = await newVisitor();
  for (const readTo of [1, 0, 1000]) {
    await say(instances[0], bot, { token, readTo });
    const stream = await openStream(instances[1], bot, { token });
    const { data } = await stream.has(({ event }) => event === 'ready');
    expect(data.readTo).toBe(readTo === 1000 ? 4 : 1);
    await stream.close();
  }
});

test('a command is one, and its words are its argument', async () => {
  const { token, admitted } = await newVisitor();
  await say(instances[0], bot, { token, text: '/new please' });
  expect((await admitted()).at(-1)).toMatchObject({ command: { name: 'new', argument: 'please' } });
});

test('a pressed choice is its words, also when they look like a command', async () => {
  const { token, admitted } = await newVisitor();
  await say(instances[0], bot, { token, text: '/new please', isChoice: true });
  const message = (await admitted()).at(-1);
  expect(message).toMatchObject({ text: '/new please', content: 'text' });
  expect(message?.command).toBeUndefined();
});

test('a file goes with its message to where files of every platform are read', async () => {
  const { token, admitted } = await newVisitor();
  const message = { token, text: 'See', file: { name: 'order.txt', kind: 'document' } };
  expect((await say(instances[0], bot, message, { file: 'Order 4711' })).status).toBe(200);
  const [, sent] = await admitted();
  expect(sent).toMatchObject({
    text: 'See',
    attachment: { kind: 'document', name: 'order.txt', sizeBytes: 10 },
  });
  await eventually('the file is read', async () => {
    const rows = await services.harness.asOwner<{ extracted_text: string }>(
      `select extracted_text from webhooks.mail_attachments a
       join webhooks.media m on m.media_id = a.mail_id where m.media_id = $1 and m.state = 'kept'`,
      [sent!.attachment!.mediaId],
    );
    return rows[0]?.extracted_text === 'Order 4711';
  });
});

test('a file beyond the limit is refused with 413, and nothing of its message is admitted', async () => {
  const { token, admitted } = await newVisitor();
  const message = { token, text: 'Large', file: { name: 'large.bin', kind: 'document' } };
  const large = 'x'.repeat(10 * 1024 * 1024 + 1);
  expect((await say(instances[0], bot, message, { file: large })).status).toBe(413);
  expect(await admitted()).toHaveLength(1);
});

test('a visitor deletes their own message in all of their windows, and no message of the bot', async () => {
  const { token, first, visitorId } = await newVisitor('My card is 4111');
  const stream = await openStream(instances[1], bot, { token, after: 1 });
  const messageId = first.platformMessageId;
  for (let times = 0; times < 2; times += 1)
    expect((await postTo(instances[0], bot, 'deletions', { token, messageId })).status).toBe(200);
  await publishedAll(services);
  const deletions = (await eventsOf(services.harness, messageDeleted)).filter(
    ({ platformChatId }) => platformChatId === visitorId,
  );
  expect(deletions).toMatchObject([
    { conversationId: first.conversationId, platformMessageIds: [messageId] },
  ]);
  const { data } = await stream.has(({ data }) => data.id === messageId && data.isDeleted === true);
  expect(data).toMatchObject({ text: '' });
  const reply = conversationOf(bot, visitorId).reply('Stays', ofChat);
  await publishReplies(services, reply);
  const answer = await stream.has(({ data }) => data.text === 'Stays');
  await postTo(instances[0], bot, 'deletions', { token, messageId: answer.data.id });
  const again = await openStream(instances[0], bot, { token });
  await again.has(({ data }) => data.text === 'Stays');
  await Promise.all([stream.close(), again.close()]);
});

test('a session that has ended is refused, and its visitor is as if they had never been here', async () => {
  const { token } = await newVisitor();
  expect((await postTo(instances[0], bot, 'end', { token })).status).toBe(200);
  expect((await say(instances[1], bot, { token })).status).toBe(401);
  expect((await openStream(instances[1], bot, { token })).status).toBe(401);
});

test("without the gateway's identity the script, the page and its settings are 401", async () => {
  const [service] = instances;
  for (const path of ['/chat.js', `/chat/${bot.botId}`, `/chat/${bot.botId}/settings.json`]) {
    expect((await service.call('GET', path, { as: anonymous })).status).toBe(200);
    expect((await service.call('GET', path, { as: null })).status).toBe(401);
  }
});
