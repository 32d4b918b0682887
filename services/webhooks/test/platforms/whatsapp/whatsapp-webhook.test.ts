import { createHmac, randomUUID } from 'node:crypto';
import { replyCreated } from '@botyard/contracts/events/agents';
import type { OutboundTemplate } from '@botyard/contracts/events/webhook-templates';
import {
  chatMigrated,
  messageReceived,
  personRenamed,
  replyDelivered,
  replyRated,
  replyReported,
} from '@botyard/contracts/events/webhooks';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventsOf } from '../../webhooks-services.ts';
import { appSecrets, type ConnectedNumber, WhatsAppServices } from './whatsapp-services.ts';

let services: WhatsAppServices;
let bot: ConnectedNumber;

beforeAll(async () => {
  services = await WhatsAppServices.open();
  await services.start();
  bot = await services.connect();
});
afterAll(() => services?.close());

const messages = async () => await eventsOf(services.harness, messageReceived);
const received = async (platformMessageId: string) =>
  await eventually('the message is admitted', async () => {
    const own = (await messages()).filter((message) => message.platformMessageId === platformMessageId);
    if (own.length > 1) throw new Error('a message was admitted twice');
    return own[0];
  });

async function reply(
  text: string,
  platformChatId: string,
  conversationId: string = randomUUID(),
  replySeq = 1,
  template?: OutboundTemplate,
) {
  const { tenantId, botId, integrationId } = bot;
  const replyId = randomUUID();
  const chat = { platformChatId, kind: 'private' as const, title: 'Anna' };
  const own = { tenantId, botId, integrationId, platform: 'whatsapp' as const };
  const created = {
    ...own,
    conversationId,
    replyId,
    replySeq,
    chat,
    text,
    ...(template ? { template } : {}),
  };
  await services.harness.publish(replyCreated, created);
  return await eventually('the reply is delivered or given up', async () =>
    (await eventsOf(services.harness, replyDelivered)).find((event) => event.replyId === replyId),
  );
}

test('a number is registered at its own address, which answers the check, and the account is subscribed', () => {
  const { business, botId } = bot;
  const url = `${services.baseUrl}/webhooks/whatsapp/${botId}`;
  expect(business.number.callback).toMatchObject({ url });
  expect([...business.account.subscribed.keys()]).toEqual([business.app.id]);
});

test('a message is admitted with its person, whose number is only an alias', async () => {
  const person = services.whatsapp.addPerson({ name: 'Jörg ß 👋', username: 'joerg' });
  const id = services.whatsapp.say(bot.business.number.id, person, 'Grüße @all / 👋');
  expect(await received(id)).toMatchObject({
    platform: 'whatsapp',
    botId: bot.botId,
    text: 'Grüße @all / 👋',
    chat: { platformChatId: person.userId, kind: 'private', title: 'Jörg ß 👋' },
    sender: { platformUserId: person.userId, name: 'Jörg ß 👋', username: 'joerg' },
  });
});

test('a person who hides their number writes in the same conversation, and is answered at the number', async () => {
  const person = services.whatsapp.addPerson();
  const first = await received(services.whatsapp.say(bot.business.number.id, person, 'one'));
  person.hidesPhone = true;
  const second = await received(services.whatsapp.say(bot.business.number.id, person, 'two'));
  expect(second).toMatchObject({ conversationId: first.conversationId, seq: 2 });
  expect(await reply('**Hi**', person.userId, first.conversationId)).toMatchObject({ state: 'sent' });
  expect(services.whatsapp.sent.last).toMatchObject({ addressedBy: 'to', text: '*Hi*', phone: person.phone });
});

test('a person whose number was never known is answered by their identifier', async () => {
  const person = services.whatsapp.addPerson({ hidesPhone: true });
  await received(services.whatsapp.say(bot.business.number.id, person, 'Hi'));
  expect(await reply('Hello', person.userId)).toMatchObject({ state: 'sent' });
  expect(services.whatsapp.sent.last).toMatchObject({ addressedBy: 'recipient', phone: person.phone });
});

const renamings = async (to: string) =>
  (await eventsOf(services.harness, personRenamed)).filter((event) => event.to === to);

test('a person keeps the conversation with each other number and identifier, and everybody hears of it once', async () => {
  const numberId = bot.business.number.id;
  let person = services.whatsapp.addPerson();
  const first = await received(services.whatsapp.say(numberId, person, 'one'));
  for (const [phone, userId] of [
    ['4915000001', 'DE.555000111'],
    ['4915000002', 'DE.555000222'],
  ] as const) {
    const { userId: from } = person;
    person = services.whatsapp.changeNumber(numberId, person, phone, userId);
    await eventually('the change is known', async () => (await renamings(userId)).length > 0);
    const post = services.whatsapp.webhooks.posts.last!;
    expect(await services.whatsapp.webhooks.repeat(post, bot.business.app.secret)).toBe(200);
    expect(await received(services.whatsapp.say(numberId, person, phone))).toMatchObject({
      conversationId: first.conversationId,
      chat: { platformChatId: userId },
    });
    expect(await renamings(userId)).toEqual([
      { tenantId: bot.tenantId, platform: 'whatsapp', from, to: userId },
    ]);
  }
  const moves = await eventsOf(services.harness, chatMigrated);
  expect(moves.find(({ toChatId }) => toChatId === 'DE.555000222')).toMatchObject({
    conversationId: first.conversationId,
  });
});

test('a person who was known by the number alone keeps the conversation once their identifier comes', async () => {
  const person = services.whatsapp.addPerson({ hasNoUserId: true });
  const first = await received(services.whatsapp.say(bot.business.number.id, person, 'one'));
  const named = { ...person, hasNoUserId: false };
  const second = await received(services.whatsapp.say(bot.business.number.id, named, 'two'));
  expect(second.conversationId).toBe(first.conversationId);
  expect(await renamings(person.userId)).toMatchObject([{ from: person.phone, to: person.userId }]);
});

test('messages under a new identifier that come before the change join the conversation', async () => {
  const numberId = bot.business.number.id;
  const person = services.whatsapp.addPerson();
  const first = await received(services.whatsapp.say(numberId, person, 'one'));
  const early = { ...person, userId: 'DE.555000333' };
  const interim = await received(services.whatsapp.say(numberId, early, 'two'));
  services.whatsapp.changeUserId(numberId, person, early.userId);
  await eventually('the change is known', async () => (await renamings(early.userId)).length > 0);
  expect(await received(services.whatsapp.say(numberId, early, 'three'))).toMatchObject({
    conversationId: first.conversationId,
  });
  const moves = await eventsOf(services.harness, chatMigrated);
  expect(moves.find(({ toChatId }) => toChatId === early.userId)).toMatchObject({
    conversationId: first.conversationId,
    interimConversationId: interim.conversationId,
  });
});

test('everything in a batch is admitted once, in its order, also when it is delivered again', async () => {
  const person = services.whatsapp.addPerson();
  const ids: string[] = [];
  services.whatsapp.batched(() => {
    for (let index = 0; index < 5; index += 1)
      ids.push(services.whatsapp.say(bot.business.number.id, person, `part ${index}`));
  });
  const admitted = await Promise.all(ids.map(received));
  expect(admitted.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
  const post = services.whatsapp.webhooks.posts.last!;
  expect(await services.whatsapp.webhooks.repeat(post, bot.business.app.secret)).toBe(200);
  expect((await messages()).filter(({ platformMessageId }) => ids.includes(platformMessageId))).toHaveLength(
    5,
  );
});

test('a delivery that was not signed with the secret of the app is refused', async () => {
  const body = JSON.stringify({ object: 'whatsapp_business_account', entry: [] });
  const signature = createHmac('sha256', 'another').update(body).digest('hex');
  const url = `${services.baseUrl}/webhooks/whatsapp/${bot.botId}`;
  const post = (headers: Record<string, string>) =>
    fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });
  expect((await post({ 'x-hub-signature-256': `sha256=${signature}` })).status).toBe(401);
  expect((await post({})).status).toBe(401);
});

test('a long time after the last message a reply fails with a reason that names templates', async () => {
  const person = services.whatsapp.addPerson();
  await received(services.whatsapp.say(bot.business.number.id, person, 'Hi'));
  await services.harness.asOwner(
    `update webhooks.whatsapp_people set last_message_at = now() - interval '25 hours' where person_id = $1`,
    [person.userId],
  );
  const before = services.whatsapp.sent.count;
  expect(await reply('Too late', person.userId)).toMatchObject({
    state: 'failed',
    lastError: expect.stringMatching(/24 hours.*template/),
  });
  expect(services.whatsapp.sent.count).toBe(before);
});

test('a long time after the last message an approved template is sent once, with its parameters', async () => {
  const { account, number } = bot.business;
  const components = [{ type: 'BODY', text: 'Hello {{1}}, order {{2}} is ready.' }];
  account.templates.push({
    name: 'ready',
    language: 'en',
    status: 'APPROVED',
    category: 'UTILITY',
    components,
  });
  const person = services.whatsapp.addPerson();
  services.whatsapp.wroteAt.set(`${number.id}/${person.phone}`, Date.now() - 25 * 3600 * 1000);
  const parameters = [
    { name: '1', text: 'Anna' },
    { name: '2', text: '17' },
  ];
  const text = 'Hello Anna, order 17 is ready.';
  const send = (name: string) =>
    reply(text, person.userId, randomUUID(), 1, { name, language: 'en', parameters });
  expect(await send('ready')).toMatchObject({ state: 'sent' });
  const arrived = services.whatsapp.sent.filter(({ phone }) => phone === person.phone);
  expect(arrived.map((sent) => [sent.type, sent.text])).toEqual([['template', text]]);
  // Its approval may be gone by now.
  expect(await send('withdrawn')).toMatchObject({
    state: 'failed',
    lastError: expect.stringMatching(/no longer knows the template.*132001/),
  });
});

test('two numbers of an account have a bot each, and get only their own messages', async () => {
  const second = services.whatsapp.addBusiness({ app: bot.business.app, account: bot.business.account });
  const other = await services.connect(second);
  const person = services.whatsapp.addPerson();
  const [mine, theirs] = [bot.business.number.id, second.number.id].map((number) =>
    services.whatsapp.say(number, person, 'Hi'),
  );
  expect((await received(mine!)).botId).toBe(bot.botId);
  expect((await received(theirs!)).botId).toBe(other.botId);
});

test('the address of the app answers its check', async () => {
  const callback = { url: `${services.baseUrl}/webhooks/whatsapp`, verifyToken: appSecrets.verifyToken };
  const app = { ...bot.business.app, secret: appSecrets.secret };
  await services.whatsapp.setAppCallback(app, callback);
  await expect(services.whatsapp.setAppCallback(app, { ...callback, verifyToken: 'x' })).rejects.toThrow(
    /verification/,
  );
});

test('what becomes of a reply is announced once, and of unknown messages not', async () => {
  const person = services.whatsapp.addPerson();
  const { conversationId } = await received(services.whatsapp.say(bot.business.number.id, person, 'Hi'));
  const delivered = await reply('Hello', person.userId, conversationId);
  const sent = services.whatsapp.sent.last!;
  const states = async () =>
    (await eventsOf(services.harness, replyReported))
      .filter(({ replyId }) => replyId === delivered?.replyId)
      .map(({ state, reason }) => (reason === undefined ? state : `${state}: ${reason}`));
  services.whatsapp.report({ ...sent, id: 'wamid.unknown' }, 'read');
  services.whatsapp.report(sent, 'read');
  services.whatsapp.report(sent, 'read');
  services.whatsapp.report(sent, 'failed', [{ code: 1, title: 'lost' }]);
  await eventually('the last one is announced', async () => (await states()).includes('failed: lost (1)'));
  expect((await states()).filter((state) => state !== 'delivered')).toEqual(['read', 'failed: lost (1)']);
});

test('a thumb at a reply is announced as its rating, once and for this reply alone, and never as a message', async () => {
  const person = services.whatsapp.addPerson();
  const { conversationId } = await received(services.whatsapp.say(bot.business.number.id, person, 'Hi'));
  const delivered = await reply('Hello', person.userId, conversationId);
  const sent = services.whatsapp.sent.last!;
  const react = (messageId: string, emoji: string) =>
    services.whatsapp.say(bot.business.number.id, person, {
      type: 'reaction',
      reaction: { message_id: messageId, emoji },
    });
  const before = (await messages()).length;
  react('wamid.unknown', '👎');
  react(sent.id, '👍🏾');
  const ratings = async () =>
    (await eventsOf(services.harness, replyRated)).filter((event) => event.conversationId === conversationId);
  await eventually('the thumb is announced', async () => (await ratings()).length === 1);
  react(sent.id, '');
  await eventually('that it was taken back is announced', async () => (await ratings()).length === 2);
  const { replyId } = delivered!;
  expect(await ratings()).toMatchObject([
    { replyId, rating: 'up' },
    { replyId, rating: null },
  ]);
  expect((await messages()).length).toBe(before);
});

test('news of a message whose send has no end yet are reported again, behind the messages in the same body', async () => {
  const person = services.whatsapp.addPerson();
  const { conversationId } = await received(services.whatsapp.say(bot.business.number.id, person, 'Hi'));
  const delivered = await reply('Hello', person.userId, conversationId);
  const sent = services.whatsapp.sent.last!;
  const set = (state: string, id: string | null) =>
    services.harness.asOwner(
      'update webhooks.parts set state = $2, platform_message_id = $3 where reply_id = $1',
      [delivered?.replyId, state, id],
    );
  await set('sending', null);
  let id = '';
  services.whatsapp.batched(() => {
    services.whatsapp.report(sent, 'read');
    id = services.whatsapp.say(bot.business.number.id, person, 'Thanks');
  });
  await received(id);
  const isRead = async () =>
    (await eventsOf(services.harness, replyReported)).some(
      ({ replyId, state }) => replyId === delivered?.replyId && state === 'read',
    );
  expect(await isRead()).toBe(false);
  await set('sent', sent.id);
  await eventually('it is announced', isRead);
});
