import { replyDelivered } from '@botyard/contracts/events/webhooks';
import { withTenant } from '@botyard/shared/db/database';
import { eventually } from '@botyard/testing/eventually';
import type { TestService } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  type Bounce,
  isBounced,
  liftBounce,
  noteBounce,
} from '../../../../../src/platforms/mailgun/domain/outbound/bounces.ts';
import { queueMail } from '../../../../../src/platforms/mailgun/domain/outbound/queue-mail.ts';
import {
  closeMailServices,
  type MailIntegration,
  type MailServices,
  mailsOf,
  mailsTo,
  openMailServices,
  openThread,
  saveMailbox,
  sendsTo,
  startMailWebhooks,
} from '../../../../mail-services.ts';
import { newMail, postForm, triple } from '../../../../mailboxes.ts';
import { delivered, publishReplies } from '../../../../replies.ts';
import { eventsOf } from '../../../../webhooks-services.ts';

let services: MailServices;
let webhooks: TestService;
let mailbox: MailIntegration;
let inTenant: <Result>(work: (tx: Parameters<typeof isBounced>[0]) => Promise<Result>) => Promise<Result>;

/** Reports about sent replies, and the ends of others, as the outbox took them. */
const reported: unknown[] = [];
const ended: unknown[] = [];
const deps = {
  outbox: {
    emit: async (_tx: unknown, event: unknown, ...events: unknown[]) =>
      (event === replyDelivered ? ended : reported).push(...events),
  } as never,
  wakeSender: () => undefined,
};

beforeAll(async () => {
  services = await openMailServices();
  webhooks = await startMailWebhooks(services);
  mailbox = await saveMailbox(services);
  const database = services.harness.databaseAs('webhooks');
  inTenant = (work) => withTenant(database, [mailbox.tenantId], work);
});

beforeEach(() => services.mailer.clearFaults());

afterAll(() => closeMailServices(services));

const note = (bounce: Omit<Bounce, 'tenantId' | 'botId'>) =>
  inTenant((tx) => noteBounce(deps, tx, { tenantId: mailbox.tenantId, botId: mailbox.botId, ...bounce }));
const has = (address: string) => inTenant((tx) => isBounced(tx, mailbox.tenantId, address));

test('a bounced mail marks its address and reports its reply as failed; nothing is sent there until a mail comes from it', async () => {
  const { reply, address, threadId } = await openThread(services, mailbox);
  const [first, second, third] = [reply('first'), reply('second'), reply('third')];
  await publishReplies(services, first);
  const { platformMessageIds } = await delivered(services, first);
  expect(await has(address)).toBe(false);
  await note({ messageId: platformMessageIds[0]!, reason: '550 5.1.1\r\nBcc: x' });
  expect(await has(address.toUpperCase())).toBe(true);
  const { replyId, conversationId } = first;
  const reason = '550 5.1.1 Bcc: x';
  expect(reported).toMatchObject([{ replyId, conversationId, state: 'failed', reason }]);
  expect(await mailsOf(services, threadId)).toMatchObject([{ state: 'bounced', reason: '550 5.1.1 Bcc: x' }]);
  await publishReplies(services, second);
  expect(await delivered(services, second)).toMatchObject({
    state: 'failed',
    lastError: 'the address takes no mail: 550 5.1.1 Bcc: x',
  });
  await inTenant((tx) => liftBounce(tx, mailbox.tenantId, address));
  await publishReplies(services, third);
  expect(await delivered(services, third)).toMatchObject({ state: 'sent' });
  expect(mailsTo(services, address).map(({ text }) => text)).toEqual(['first', 'third']);
  const announced = (await eventsOf(services.harness, replyDelivered)).filter(
    ({ replyId }) => replyId === first.replyId,
  );
  expect(announced).toHaveLength(1);
});

test('a mail that bounced while it waited for a retry is not sent again, and the next one is sent', async () => {
  const { reply, address, threadId } = await openThread(services, mailbox);
  const lost = reply('lost');
  services.mailer.fail('send', { status: 500 });
  await publishReplies(services, lost);
  const mail = await eventually('it waits', async () => {
    const [found] = await mailsOf(services, threadId);
    return found?.attempts === 1 && found;
  });
  await note({ messageId: mail.message_id, reason: 'no such user' });
  await inTenant((tx) => liftBounce(tx, mailbox.tenantId, address));
  const next = reply('next');
  await publishReplies(services, next);
  expect(await delivered(services, next)).toMatchObject({ state: 'sent' });
  expect(mailsTo(services, address).map(({ text }) => text)).toEqual(['next']);
});

test('a mail that bounces before its send has been noted ends its reply as failed', async () => {
  const { reply, threadId } = await openThread(services, mailbox);
  const early = reply('early');
  const goOn = services.mailer.hold('send');
  const before = reported.length;
  await publishReplies(services, early);
  const mail = await eventually('it is being sent', async () => {
    const [found] = await mailsOf(services, threadId);
    return found?.state === 'sending' && found;
  });
  await note({ messageId: mail.message_id, reason: 'no such user' });
  goOn();
  const { replyId } = early;
  expect(ended.at(-1)).toMatchObject({ replyId, state: 'failed', lastError: 'no such user' });
  expect(reported).toHaveLength(before);
});

test('a report marks the mail that it returns, even if the headers of that mail name an earlier one first', async () => {
  const { reply, address, threadId } = await openThread(services, mailbox);
  const replies = [reply('earlier'), reply('returned')];
  await publishReplies(services, ...replies);
  const [earlier, returned] = await Promise.all(
    replies.map(async (one) => (await delivered(services, one)).platformMessageIds[0]!),
  );
  const report = newMail(mailbox, {
    from: 'Mail Delivery System <mailer-daemon@example.com>',
    headers: [['Content-Type', 'multipart/report; report-type=delivery-status; boundary="x"']],
    text: [
      `<${address}>: no such user`,
      'Action: failed\r\nStatus: 5.1.1\r\nDiagnostic-Code: smtp; 550 no such user',
      `References: <${earlier}>\r\nMessage-Id: <${returned}>`,
    ].join('\r\n\r\n'),
    fields: { sender: '' },
  });
  const signed = { ...report, ...triple({ key: 'signing-key' }) };
  expect((await postForm(webhooks, mailbox.botId, signed)).status).toBe(200);
  const mails = await mailsOf(services, threadId);
  expect(mails.map(({ message_id, state }) => [message_id, state])).toEqual([
    [earlier, 'sent'],
    [returned, 'bounced'],
  ]);
});

test('a bounce of an address that this bot never wrote to blocks no address', async () => {
  await note({ address: 'stranger@example.com', reason: 'forged' });
  await note({ messageId: 'nobodys@example.com', address: 'stranger@example.com', reason: 'forged' });
  expect(await has('stranger@example.com')).toBe(false);
  const { reply, address } = await openThread(services, mailbox);
  const sent = reply('sent');
  await publishReplies(services, sent);
  await delivered(services, sent);
  await note({ address, reason: 'mailbox is gone' });
  expect(await has(address)).toBe(true);
});

test('an address that the mailer refuses takes no mail either', async () => {
  const { reply, address } = await openThread(services, mailbox);
  const [refused, next] = [reply('refused'), reply('next')];
  services.mailer.failNext({
    status: 400,
    message: 'to parameter is not a valid address. please check documentation',
  });
  await publishReplies(services, refused, next);
  expect(await delivered(services, refused)).toMatchObject({ state: 'failed' });
  expect((await delivered(services, next)).lastError).toMatch(/^the address takes no mail/);
  expect(await has(address)).toBe(true);
  expect(sendsTo(services, address)).toHaveLength(1);
});

test('a mail that is not a reply, such as a link, is queued and sent like any other; over 60 to an address it is stored as failed', async () => {
  const { address, threadId, first } = await openThread(services, mailbox);
  const link = {
    tenantId: mailbox.tenantId,
    botId: mailbox.botId,
    threadId,
    recipient: address,
    subject: 'Confirm\r\nBcc: x@y.example',
    text: 'https://acme.example/l',
    html: '<p>link</p>',
    inReplyTo: first,
  };
  await inTenant((tx) => queueMail(deps, tx, link));
  const mail = await services.mailer.sent.waitFor(({ to }) => to.includes(address));
  expect(mail).toMatchObject({ subject: 'Confirm Bcc: x@y.example', text: 'https://acme.example/l' });
  expect(mail.headers).toMatchObject({ 'Auto-Submitted': 'auto-replied', 'In-Reply-To': `<${first}>` });
  await services.harness.asOwner(
    `insert into webhooks.mails (tenant_id, mail_id, thread_id, bot_id, direction, message_id, sender, sender_name, recipient,
       subject, text, state) select $1, gen_random_uuid(), gen_random_uuid(), $2, 'out', gen_random_uuid(), '', '', $3, '', '', 'sent'
       from generate_series(1, 60)`,
    [mailbox.tenantId, mailbox.botId, address],
  );
  await inTenant((tx) => queueMail(deps, tx, link));
  const [, capped] = await mailsOf(services, threadId);
  expect(capped).toMatchObject({
    state: 'failed',
    reason: 'over the cap of 60 mails to an address and hour',
  });
  await inTenant((tx) => queueMail(deps, tx, { ...link, botId: mailbox.tenantId }));
  expect(await mailsOf(services, threadId)).toHaveLength(2);
});
