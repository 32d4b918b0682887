import { randomUUID } from 'node:crypto';
import { eraseTransport } from '@botyard/contracts/events/webhook-requests';
import { messageReceived } from '@botyard/contracts/events/webhooks';
import { personIdOfAccount } from '@botyard/shared/auth/person-id';
import { ask } from '@botyard/shared/bus/requests';
import { eventually } from '@botyard/testing/eventually';
import type { TestService } from '@botyard/testing/service-harness';
import { anonymous } from '@botyard/testing/test-call';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  closeMailServices,
  type MailIntegration,
  type MailServices,
  mailsTo,
  openMailServices,
  saveMailbox,
  startMailWebhooks,
} from '../../mail-services.ts';
import { newMail, postForm, triple } from '../../mailboxes.ts';
import { delivered, publishReplies, type Reply } from '../../replies.ts';
import { eventsOf, publishedAll } from '../../webhooks-services.ts';
import { hmacOf, openStream, postTo, saveChat, say } from './site.ts';

let services: MailServices;
let webhooks: TestService;

beforeAll(async () => {
  services = await openMailServices();
  webhooks = await startMailWebhooks(services);
});
afterAll(() => closeMailServices(services));

const newAddress = () => `anna-${randomUUID().slice(0, 8)}@example.com`;

/** A bot with a web chat and a mailbox. */
async function newBot() {
  const chat = await saveChat(services);
  const { tenantId, botId } = chat;
  const mailbox = await saveMailbox(services, { tenantId, botId });
  return { ...chat, mailbox };
}
type Bot = Awaited<ReturnType<typeof newBot>>;

/** A visitor who has written, from a network of their own. */
async function newVisitor(bot: Bot, more: Record<string, unknown> = {}) {
  const network = `2001:db8:${Math.floor(Math.random() * 65_536).toString(16)}::1`;
  const { body } = await say(webhooks, bot, { text: 'Hello', ...more }, { address: network });
  const messages = async () => {
    await publishedAll(services);
    const all = await eventsOf(services.harness, messageReceived);
    return all.filter(({ chat }) => chat.platformChatId === first.chat.platformChatId);
  };
  await publishedAll(services);
  const first = (await eventsOf(services.harness, messageReceived)).findLast(
    ({ platformMessageId }) => platformMessageId === body.message.id,
  )!;
  const visitor = { bot, network, token: body.token as string, visitorId: first.chat.platformChatId, first };
  let replySeq = 0;
  const answer = async (text: string, change: Partial<Reply> = {}) => {
    replySeq += 1;
    const { tenantId, botId, integrationId } = bot;
    const { conversationId, chat } = first;
    const ids = { tenantId, botId, integrationId, conversationId, replyId: randomUUID(), replySeq };
    const reply: Reply = { ...ids, platform: 'webchat', chat, text, ...change };
    await publishReplies(services, reply);
    expect(await delivered(services, reply)).toMatchObject({ state: 'sent' });
  };
  return { ...visitor, messages, answer };
}
type Visitor = Awaited<ReturnType<typeof newVisitor>>;

const name = ({ bot, token, network }: Pick<Visitor, 'bot' | 'token' | 'network'>, address: string) =>
  postTo(webhooks, bot, 'address', { token, address }, { address: network });

const tokenIn = (text = ''): string => /#token=([0-9a-f]{48})/.exec(text)?.[1] ?? '';

const withLink = (token: string, path: string, body: unknown) =>
  webhooks.call('POST', `/api/email-auth/${path}`, {
    as: anonymous,
    body,
    headers: { authorization: `Bearer ${token}` },
  });

const mailTo = (address: string, count: number) =>
  eventually('the mail has come', () => mailsTo(services, address)[count - 1]);

/** Names an address, and opens the link that it gets. */
async function confirm(visitor: Visitor, address: string): Promise<void> {
  expect((await name(visitor, address)).body).toEqual({ outcome: 'requested' });
  const { text } = await mailTo(address, 1);
  const opened = await withLink(tokenIn(text), 'authorize-thread', { kind: 'thread' });
  expect(opened.status).toBe(200);
}

/** The time after which an answer counts as missed has passed. */
const pass = ({ visitorId }: Visitor) =>
  services.harness.asOwner(
    `update webhooks.webchat_visitors set missed_at = missed_at - interval '5 minutes' where visitor_id = $1`,
    [visitorId],
  );

const missedAt = async ({ visitorId }: Visitor) =>
  (
    await services.harness.asOwner<{ missed_at: Date | null }>(
      'select missed_at from webhooks.webchat_visitors where visitor_id = $1',
      [visitorId],
    )
  )[0]!.missed_at;

async function answerMail({ mailbox }: Bot, from: string, sent: { id: string }, text: string) {
  const headers: [string, string][] = [['In-Reply-To', sent.id]];
  const mail = newMail(mailbox, { from, text, headers });
  const { status } = await postForm(webhooks, mailbox.botId, { ...mail, ...triple({ key: 'signing-key' }) });
  expect(status).toBe(200);
}

const mailsOfBot = ({ mailbox }: { mailbox: MailIntegration }) =>
  services.harness.asOwner<{ state: string }>(
    `select state from webhooks.mails where bot_id = $1 and direction = 'in'`,
    [mailbox.botId],
  );

test('answers of bot and staff that come while the visitor is away go by mail, and the answer to it goes on in the chat', async () => {
  const bot = await newBot();
  const visitor = await newVisitor(bot);
  const address = newAddress();
  await confirm(visitor, address);
  await visitor.answer('First **answer**');
  await visitor.answer('Second answer', { author: 'staff' });
  await pass(visitor);
  const sent = await mailTo(address, 2);
  expect(sent.text).toContain('Second answer');
  expect(sent.text.indexOf('First')).toBeLessThan(sent.text.indexOf('Second'));
  await answerMail(bot, address, sent, 'Thank you, by mail');
  const [, written] = await eventually('the mail is a message of the chat', async () => {
    const messages = await visitor.messages();
    return messages.length === 2 ? messages : undefined;
  });
  expect(written).toMatchObject({
    platform: 'webchat',
    text: 'Thank you, by mail',
    conversationId: visitor.first.conversationId,
    sender: { platformUserId: visitor.visitorId, isProven: false },
  });
  const stream = await openStream(webhooks, bot, { token: visitor.token });
  await stream.has(({ data }) => data.text === 'Thank you, by mail');
  expect(stream.events[0]).toMatchObject({ event: 'ready', data: { hasMail: true } });
  await stream.close();
});

test('an answer that a window has got is not mailed', async () => {
  const bot = await newBot();
  const visitor = await newVisitor(bot);
  await confirm(visitor, newAddress());
  const stream = await openStream(webhooks, bot, { token: visitor.token });
  await visitor.answer('You are here');
  await stream.has(({ data }) => data.text === 'You are here');
  expect(await missedAt(visitor)).not.toBeNull();
  await eventually('the sweep has noted it', async () => (await missedAt(visitor)) === null || undefined);
  await stream.close();
});

test('nothing of the chat goes to an address before its link was opened', async () => {
  const bot = await newBot();
  const visitor = await newVisitor(bot);
  const address = newAddress();
  await name(visitor, address);
  const { text, subject } = await mailTo(address, 1);
  expect(`${subject} ${text}`).not.toContain('Hello there');
  await visitor.answer('A secret answer');
  await pass(visitor);
  await eventually('the round is over', async () => (await missedAt(visitor)) === null || undefined);
  expect(mailsTo(services, address)).toHaveLength(1);
});

test('an address gets one link in an hour and three in a day, whoever names it, in whatever spelling', async () => {
  const bots = await Promise.all([newBot(), newBot()]);
  const address = newAddress();
  const [local, domain] = address.split('@');
  for (const [index, spelling] of [address, address.toUpperCase(), `${local}+a@${domain}`].entries())
    expect((await name(await newVisitor(bots[index % 2]!), spelling)).status).toBe(200);
  await mailTo(address, 1);
  const count = async () =>
    (
      await services.harness.asOwner<{ count: string }>(
        `select count(*) from webhooks.mails where recipient like $1 || '%' and direction = 'out'`,
        [local],
      )
    )[0]!.count;
  expect(Number(await count())).toBe(1);
  const nextHour = () =>
    services.harness.asOwner(
      `update webhooks.link_counts set ends_at = now() - interval '1 second' where ends_at < now() + interval '61 minutes'`,
    );
  for (let hour = 0; hour < 4; hour += 1) {
    await nextHour();
    await name(await newVisitor(bots[0]!), address);
  }
  expect(Number(await count())).toBe(3);
});

test('a visitor who names many addresses gets 503 with the time to wait, alone', async () => {
  const bot = await newBot();
  const visitor = await newVisitor(bot);
  const answers = [];
  for (let count = 0; count < 4; count += 1) answers.push(await name(visitor, newAddress()));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 503]);
  expect(Number(answers[3]!.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await name(await newVisitor(bot), newAddress())).status).toBe(200);
});

test('links for chats take at most a quarter of the mails that the tenant may send in a day', async () => {
  const small = await startMailWebhooks(services, { MAILER_MESSAGES_PER_DAY: '8' });
  const bot = await newBot();
  for (let count = 0; count < 4; count += 1) {
    const { token } = await newVisitor(bot);
    await postTo(small, bot, 'address', { token, address: newAddress() }, { address: `203.0.113.${count}` });
  }
  const rows = await services.harness.asOwner(
    `select 1 from webhooks.mails where bot_id = $1 and direction = 'out'`,
    [bot.botId],
  );
  expect(rows).toHaveLength(2);
  await small.stop();
});

test('the answer tells nothing about an address: known, bounced, of the bot itself, or of a machine', async () => {
  const bot = await newBot();
  const confirmed = newAddress();
  await confirm(await newVisitor(bot), confirmed);
  const bounced = newAddress();
  await services.harness.asOwner(
    `insert into webhooks.bounced_addresses (tenant_id, address, reason) values ($1, $2, 'unknown user')`,
    [bot.tenantId, bounced],
  );
  const addresses = [confirmed, bounced, bot.mailbox.address, 'mailer-daemon@example.com', newAddress()];
  for (const address of addresses) {
    const { status, body } = await name(await newVisitor(bot), address);
    expect([address, status, body]).toEqual([address, 200, { outcome: 'requested' }]);
  }
  expect(mailsTo(services, bounced)).toEqual([]);
});

test('what is not one plain address is 400, and no header holds it', async () => {
  const visitor = await newVisitor(await newBot());
  for (const address of [
    'anna@example.com\r\nBcc: ben@example.com',
    'anna@example.com, ben@example.com',
    'Anna <anna@example.com>',
    'anna@example.com\u2028x',
    '"a b"@example.com',
    'anna@localhost',
    `${'a'.repeat(65)}@example.com`,
    '',
  ])
    expect([address, (await name(visitor, address)).status]).toEqual([address, 400]);
  expect((await name(visitor, '  anna.b@example.com ')).status).toBe(200);
});

test('naming the address of another visitor leads none of their mail into the chat, and takes no link from them', async () => {
  const bot = await newBot();
  const [owner, stranger] = [await newVisitor(bot), await newVisitor(bot)];
  const address = newAddress();
  await name(stranger, address);
  const link = await mailTo(address, 1);
  await answerMail(bot, address, link, 'Who are you?');
  await eventually('the mail is stored', async () => (await mailsOfBot(bot)).length === 1 || undefined);
  expect(await stranger.messages()).toHaveLength(1);
  await services.harness.asOwner('delete from webhooks.link_counts');
  await name(owner, address);
  const own = await mailTo(address, 2);
  expect((await withLink(tokenIn(own.text), 'authorize-thread', { kind: 'thread' })).status).toBe(200);
  const opened = await withLink(tokenIn(link.text), 'validate-token', {});
  expect(opened.body).toMatchObject({ continuesChat: true, address });
  await owner.answer('For the owner alone');
  await stranger.answer('For the stranger alone');
  await pass(owner);
  await pass(stranger);
  const mail = await mailTo(address, 3);
  expect(mail.text).toContain('For the owner alone');
  await eventually('the round is over', async () => (await missedAt(stranger)) === null || undefined);
  expect(mailsTo(services, address)).toHaveLength(3);
});

test('a stolen session leads answers nowhere else: the confirmed address stays, and signing out ends it and every link', async () => {
  const bot = await newBot();
  const identity = { userId: 'anna', hmac: hmacOf('anna') };
  const visitor = await newVisitor(bot, { identity });
  const [address, thief] = [newAddress(), newAddress()];
  await confirm(visitor, address);
  expect((await name(visitor, thief)).status).toBe(200);
  await visitor.answer('Still for Anna');
  await pass(visitor);
  await mailTo(address, 2);
  expect(mailsTo(services, thief)).toEqual([]);
  expect((await name({ ...visitor, token: 'a'.repeat(43) }, thief)).status).toBe(401);
  expect((await postTo(webhooks, bot, 'end', { token: visitor.token })).status).toBe(200);
  await visitor.answer('Nobody is here');
  expect(await missedAt(visitor)).toBeNull();
  const later = await newVisitor(bot, { identity });
  await services.harness.asOwner('delete from webhooks.link_counts');
  await name(later, thief);
  const { text } = await mailTo(thief, 1);
  await postTo(webhooks, bot, 'end', { token: later.token });
  expect((await withLink(tokenIn(text), 'authorize-thread', { kind: 'thread' })).status).toBe(401);
});

test('the erasure of a visitor also removes the mails of their chat, the links, and the address', async () => {
  const bot = await newBot();
  const { tenantId } = bot;
  const visitor = await newVisitor(bot);
  const address = newAddress();
  await confirm(visitor, address);
  const [link] = mailsTo(services, address);
  await answerMail(bot, address, link!, 'Written by mail');
  await eventually('the mail is a message', async () => (await visitor.messages()).length === 2 || undefined);
  const account = { platform: 'webchat', platformUserId: visitor.visitorId } as const;
  const erasure = {
    tenantId,
    personIds: [personIdOfAccount(tenantId, account)],
    accounts: [account],
    erasedBefore: new Date().toISOString(),
    conversations: [],
  };
  const bus = await services.harness.busAs('tenancy');
  await eventually('the visitor is erased', async () => (await ask(bus, eraseTransport, erasure)).isDone);
  for (const table of ['mails', 'mail_threads', 'sender_tokens', 'sender_grants', 'webchat_visitors'])
    expect([
      table,
      await services.harness.asOwner(`select from webhooks.${table} where tenant_id = $1`, [tenantId]),
    ]).toEqual([table, []]);
});

test('a bot that can send no mail, and one whose tenant wants none, offer none', async () => {
  const settingsOf = async ({ botId }: { botId: string }) => {
    const { body } = await webhooks.call('GET', `/chat/${botId}/settings.json`, { as: anonymous });
    return body as { mail: boolean };
  };
  expect(await settingsOf(await newBot())).toMatchObject({ mail: true });
  expect(await settingsOf(await saveChat(services))).toMatchObject({ mail: false });
  const silent = await saveChat(services, { answersByMail: 'none' });
  await saveMailbox(services, { tenantId: silent.tenantId, botId: silent.botId });
  expect(await settingsOf(silent)).toMatchObject({ mail: false });
});
