import { randomUUID } from 'node:crypto';
import { replyDelivered } from '@botyard/contracts/events/webhooks';
import { type Context, contextFrom, runInContext } from '@botyard/shared/tracing/context';
import { type Attributes, sendSpansTo } from '@botyard/shared/tracing/spans';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  closeMailServices,
  type MailIntegration,
  type MailServices,
  mailerKey,
  mailsOf,
  mailsTo,
  makeDueNow,
  openMailServices,
  openThread,
  saveMailbox,
  sendsTo,
  startMailWebhooks,
} from '../../../../mail-services.ts';
import { delivered, publishReplies } from '../../../../replies.ts';
import { eventsOf } from '../../../../webhooks-services.ts';

let services: MailServices;
let mailbox: MailIntegration;

beforeAll(async () => {
  services = await openMailServices();
  await startMailWebhooks(services);
  await startMailWebhooks(services);
  mailbox = await saveMailbox(services);
});

beforeEach(() => services.mailer.clearFaults());

afterAll(() => closeMailServices(services));

test('a reply is sent as one mail of its thread, and is announced once with its Message-Id', async () => {
  const { reply, address, first, plusToken, conversationId } = await openThread(services, mailbox, {
    subject: 'AW: Re: Where is my parcel?',
  });
  const hello = reply('Hello **Anna**, [see here](https://acme.example/p).');
  await publishReplies(services, hello);
  const messageId = `reply.${hello.replyId}@bots.acme.example`;
  expect(await delivered(services, hello)).toEqual({
    tenantId: mailbox.tenantId,
    botId: mailbox.botId,
    conversationId,
    replyId: hello.replyId,
    state: 'sent',
    platformMessageIds: [messageId],
    isUncertain: false,
  });
  const [mail, ...more] = mailsTo(services, address);
  expect(more).toEqual([]);
  const [local, domain] = mailbox.address.split('@');
  expect(mail).toMatchObject({
    domain,
    from: mailbox.address,
    subject: 'Re: Where is my parcel?',
    text: 'Hello Anna, see here (https://acme.example/p).',
    headers: {
      'Message-Id': `<${messageId}>`,
      'In-Reply-To': `<${first}>`,
      References: `<${first}>`,
      'Reply-To': `${local}+${plusToken}@${domain}`,
      'Auto-Submitted': 'auto-replied',
      'X-Auto-Response-Suppress': 'All',
      'X-Botyard-Bot': mailbox.botId,
    },
    fields: { 'o:tracking': 'no' },
  });
  expect(mail?.html).toContain('<b>Anna</b>');
});

test("a person's message is sent in the same thread, and isn't marked as an automatic answer", async () => {
  const { reply, address, first } = await openThread(services, mailbox);
  const [ofBot, ofStaff] = [reply('Hello'), reply('Mary here', { author: 'staff' })];
  await publishReplies(services, ofStaff, ofBot);
  await delivered(services, ofStaff);
  const sent = mailsTo(services, address);
  expect(sent.map(({ text }) => text)).toEqual(['Hello', 'Mary here']);
  expect(sent[0]?.headers).toMatchObject({ 'Auto-Submitted': 'auto-replied' });
  expect(sent[1]?.headers).toMatchObject({ 'In-Reply-To': `<${first}>`, 'X-Botyard-Bot': mailbox.botId });
  expect(sent[1]?.headers).not.toHaveProperty('Auto-Submitted');
  const rows = await services.harness.asOwner<{ is_by_staff: boolean }>(
    `select is_by_staff from webhooks.mails where direction = 'out' and recipient = $1 order by position`,
    [address],
  );
  expect(rows).toEqual([{ is_by_staff: false }, { is_by_staff: true }]);
});

test('a mail is sent in the trace of its reply, and its span contains nothing of it', async () => {
  const { reply, address } = await openThread(services, mailbox);
  const spans: { name: string; context: Context; attributes: Attributes }[] = [];
  sendSpansTo({
    begin: (name, { attributes = {} }, context) => {
      const span = { name, context, attributes };
      spans.push(span);
      const set = (more: Attributes) =>
        void Object.assign(span, { attributes: { ...span.attributes, ...more } });
      return { set, fail: () => undefined, end: () => undefined };
    },
  });
  try {
    const traceContext = contextFrom({ traceparent: `00-${'e'.repeat(32)}-${'f'.repeat(16)}-01` });
    const answer = reply('Hello');
    await runInContext(traceContext, () => publishReplies(services, answer));
    await delivered(services, answer);
    expect(mailsTo(services, address)).toHaveLength(1);
    const [sent, ...more] = spans.filter(({ name }) => name === 'send part');
    expect(more).toEqual([]);
    expect(sent?.context).toMatchObject({ traceId: traceContext.traceId, parentSpanId: traceContext.spanId });
    expect(sent?.attributes).toEqual({ 'botyard.attempt': 1, 'botyard.state': 'sent' });
  } finally {
    sendSpansTo(undefined);
  }
});

test('an answer refers to all earlier mails of its thread, including our own', async () => {
  const { reply, address, first, answer } = await openThread(services, mailbox);
  const [one, two, three] = [reply('one'), reply('two'), reply('three')];
  await publishReplies(services, one, two);
  await delivered(services, two);
  await answer('second@mail.example.com');
  await publishReplies(services, three);
  await delivered(services, three);
  const own = (mine: typeof one) => `<reply.${mine.replyId}@bots.acme.example>`;
  expect(mailsTo(services, address).map(({ headers, text }) => [text, headers.References])).toEqual([
    ['one', `<${first}>`],
    ['two', `<${first}>`],
    ['three', `<${first}> ${own(one)} ${own(two)} <second@mail.example.com>`],
  ]);
  expect(mailsTo(services, address).at(-1)?.headers['In-Reply-To']).toBe('<second@mail.example.com>');
});

test('replies that arrive in the wrong order, twice, through two instances are sent once each, in the right one', async () => {
  const threads = await Promise.all(Array.from({ length: 6 }, () => openThread(services, mailbox)));
  const replies = threads.map(({ reply }) => ['a', 'b', 'c', 'd'].map((text) => reply(text)));
  for (const place of [1, 0, 3, 2, 1, 0])
    await publishReplies(services, ...replies.map((ofThread) => ofThread[place]!));
  await Promise.all(replies.map((ofThread) => delivered(services, ofThread[3]!)));
  for (const { address } of threads)
    expect(mailsTo(services, address).map(({ text }) => text)).toEqual(['a', 'b', 'c', 'd']);
});

test("a tenant's own account sends where there is one", async () => {
  const own = await saveMailbox(services, { secrets: { senderPolicy: 'open', apiKey: 'key-of-tenant' } });
  const { reply, address } = await openThread(services, own);
  await publishReplies(services, reply('hello'));
  const { headers } = await services.mailer.calls.waitFor(({ params }) => params.to === address);
  expect(headers.authorization).toBe(`Basic ${Buffer.from('api:key-of-tenant').toString('base64')}`);
});

describe('failures', () => {
  const waiting = (threadId: string, reason: RegExp) =>
    eventually('it waits', async () => {
      const [mail] = await mailsOf(services, threadId);
      return mail?.state === 'queued' && reason.test(mail.reason ?? '') && mail;
    });

  test.each([
    ['a 500', { status: 500, body: { message: 'no' } }, { attempts: 1, isUncertain: false }],
    ['a cut connection', { cut: 'after' as const }, { attempts: 1, isUncertain: true }],
    ['garbage', { status: 200, body: '<html>' }, { attempts: 1, isUncertain: true }],
    ['429', { status: 429, headers: { 'retry-after': '600' } }, { attempts: 0, isUncertain: false }],
    ['a wrong key', { status: 401, body: 'Forbidden' }, { attempts: 0, isUncertain: false }],
  ])('%s: the mail is kept and sent again with the same Message-Id', async (_what, fault, expected) => {
    const { reply, address, threadId } = await openThread(services, mailbox);
    const [first, second] = [reply('first'), reply('second')];
    services.mailer.fail('send', fault);
    await publishReplies(services, first, second);
    const mail = await waiting(threadId, /./);
    expect(mail).toMatchObject({ attempts: expected.attempts, is_uncertain: expected.isUncertain });
    expect(JSON.stringify(mail)).not.toContain(mailerKey);
    expect(sendsTo(services, address)).toHaveLength(1);
    await makeDueNow(services, threadId);
    expect(await delivered(services, first)).toMatchObject({
      state: 'sent',
      isUncertain: expected.isUncertain,
    });
    await delivered(services, second);
    const ids = sendsTo(services, address).map(({ params }) => params['h:Message-Id']);
    expect(new Set(ids).size).toBe(2);
    expect(ids[0]).toBe(ids[1]);
    expect(mailsTo(services, address).at(-1)?.text).toBe('second');
  });

  test('a mailer that never answers is timed out after 30 s, and retried', async () => {
    const { reply, address, threadId } = await openThread(services, mailbox);
    services.mailer.fail('send', { hang: true });
    const slow = reply('slow');
    await publishReplies(services, slow);
    expect(await delivered(services, slow)).toMatchObject({
      state: 'sent',
      isUncertain: true,
    });
    expect(sendsTo(services, address)).toHaveLength(2);
    expect(await mailsOf(services, threadId)).toMatchObject([{ attempts: 1 }]);
  });

  test('a mailer that accepts each mail and breaks off: two copies at most, then failed as uncertain, and the next one is sent', async () => {
    const { reply, address, threadId } = await openThread(services, mailbox);
    const [unclear, next] = [reply('unclear'), reply('next')];
    services.mailer.fail('send', { cut: 'after', times: 2 });
    await publishReplies(services, unclear, next);
    await waiting(threadId, /no answer/);
    await makeDueNow(services, threadId);
    expect(await delivered(services, unclear)).toMatchObject({ state: 'failed', isUncertain: true });
    expect(await delivered(services, next)).toMatchObject({ state: 'sent', isUncertain: false });
    expect(mailsTo(services, address).map(({ text }) => text)).toEqual(['unclear', 'unclear', 'next']);
  });

  test('tries end after half a day: the reply fails, and the next one is sent', async () => {
    const { reply, threadId } = await openThread(services, mailbox);
    const [first, second] = [reply('first'), reply('second')];
    services.mailer.fail('send', { status: 503, body: { message: 'Service Unavailable' } });
    await publishReplies(services, first, second);
    const { mail_id } = await waiting(threadId, /Unavailable/);
    await services.harness.asOwner('update webhooks.parts set attempts = 13 where part_id = $1', [mail_id]);
    services.mailer.fail('send', { status: 503, body: { message: 'Service Unavailable' } });
    await makeDueNow(services, threadId);
    expect(await delivered(services, first)).toMatchObject({
      state: 'failed',
      lastError: 'Service Unavailable',
    });
    expect(await delivered(services, second)).toMatchObject({ state: 'sent' });
  });

  test("a refusal for good fails the mail with the mailer's reason, without the key", async () => {
    const { reply } = await openThread(services, mailbox);
    const [refused, next] = [reply('refused'), reply('next')];
    services.mailer.failNext({ status: 400, message: `no: key ${mailerKey}` });
    await publishReplies(services, refused, next);
    const event = await delivered(services, refused);
    expect(event).toMatchObject({ state: 'failed', platformMessageIds: [] });
    expect(event.lastError).toMatch(/^no: /);
    expect(event.lastError).not.toContain(mailerKey);
    expect(await delivered(services, next)).toMatchObject({ state: 'sent' });
  });

  test('a reply of another conversation or of no thread is not sent, and the reason is shown', async () => {
    const { reply, address } = await openThread(services, mailbox);
    const other = await saveMailbox(services);
    const foreign = reply('x', { tenantId: other.tenantId, conversationId: randomUUID() });
    const nowhere = reply('y', {
      conversationId: randomUUID(),
      replySeq: 1,
      chat: { platformChatId: "'; drop", kind: 'private', title: '' },
    });
    await publishReplies(services, foreign, nowhere);
    for (const one of [nowhere])
      expect(await delivered(services, one)).toMatchObject({
        state: 'failed',
        lastError: 'the thread is gone',
      });
    expect(sendsTo(services, address)).toEqual([]);
  });

  test("a deleted integration, an address that can't be written to: failed, and nothing is sent", async () => {
    const gone = await openThread(services, { ...mailbox, integrationId: randomUUID() });
    const odd = await openThread(services, mailbox, { correspondent: 'a@x.example, b@x.example' });
    const [first, second] = [gone.reply('x'), odd.reply('y')];
    await publishReplies(services, first, second);
    expect(await delivered(services, first)).toMatchObject({ lastError: 'the integration was deleted' });
    expect(await delivered(services, second)).toMatchObject({ state: 'failed' });
    expect(sendsTo(services, odd.address)).toEqual([]);
  });
});

test('over 20 mails in a thread and hour, replies fail with the reason; other threads continue', async () => {
  const [{ reply, address, threadId }, other] = await Promise.all([
    openThread(services, mailbox),
    openThread(services, mailbox),
  ]);
  const replies = Array.from({ length: 22 }, (_, index) => reply(`${index}`));
  const free = other.reply('free');
  await publishReplies(services, ...replies, free);
  expect(await delivered(services, free)).toMatchObject({ state: 'sent' });
  const reason = 'over the cap of 20 mails in a thread and hour';
  expect(await delivered(services, replies[20]!)).toMatchObject({ state: 'failed', lastError: reason });
  expect(await delivered(services, replies[21]!)).toMatchObject({ state: 'failed', lastError: reason });
  await delivered(services, replies[19]!);
  expect(mailsTo(services, address)).toHaveLength(20);
  await services.harness.asOwner(
    "update webhooks.mails set created_at = now() - interval '61 minutes' where thread_id = $1 and state = 'sent'",
    [threadId],
  );
  const later = reply('later');
  await publishReplies(services, later);
  expect(await delivered(services, later)).toMatchObject({ state: 'sent' });
});

test('nothing was announced twice', async () => {
  const announced = (await eventsOf(services.harness, replyDelivered)).map(({ replyId }) => replyId);
  expect(announced.length).toBe(new Set(announced).size);
});
