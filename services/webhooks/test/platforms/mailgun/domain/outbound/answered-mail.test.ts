import { randomUUID } from 'node:crypto';
import { type InboundMessage, messageReceived } from '@botyard/contracts/events/webhooks';
import { Outbox } from '@botyard/shared/bus/outbox';
import { withTenant } from '@botyard/shared/db/database';
import type { TestService } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { releaseHeld } from '../../../../../src/platforms/mailgun/domain/inbound/release-held.ts';
import {
  closeMailServices,
  type MailIntegration,
  type MailServices,
  mailsTo,
  openMailServices,
  saveMailbox,
  startMailWebhooks,
} from '../../../../mail-services.ts';
import { type Fields, newMail, postForm, type TestFile, triple } from '../../../../mailboxes.ts';
import { delivered, publishReplies, type Reply } from '../../../../replies.ts';
import { eventsOf, publishedAll } from '../../../../webhooks-services.ts';

const key = 'signing-key';
let services: MailServices;
let webhooks: TestService;

beforeAll(async () => {
  services = await openMailServices();
  webhooks = await startMailWebhooks(services, { OBJECT_STORE_MAX_MEGABYTES: '64' });
});
afterAll(() => closeMailServices(services));

const newPerson = () => `anna-${randomUUID().slice(0, 8)}@example.com`;

const authorized = () =>
  saveMailbox(services, { secrets: { senderPolicy: 'authorized', webhookSigningKey: key } });

async function post(mailbox: MailIntegration, mail: Fields, files: readonly TestFile[] = []) {
  const { status } = await postForm(webhooks, mailbox.botId, { ...mail, ...triple({ key }) }, files);
  expect(status).toBe(200);
}

/** Messages of a bot, in their order. */
async function messagesOf({ botId }: MailIntegration): Promise<InboundMessage[]> {
  await publishedAll(services);
  const messages = await eventsOf(services.harness, messageReceived);
  return messages.filter((message) => message.botId === botId).sort((left, right) => left.seq - right.seq);
}

/** The reply to a message, as the agents service announces it. */
const replyTo = (
  { tenantId, botId, integrationId, ...message }: InboundMessage,
  replySeq: number,
): Reply => ({
  tenantId,
  botId,
  integrationId,
  replySeq,
  replyId: randomUUID(),
  conversationId: message.conversationId,
  platform: 'email',
  chat: message.chat,
  text: `answer ${replySeq}`,
  askedAt: message.receivedAt,
});

async function answerAll(messages: readonly InboundMessage[]): Promise<void> {
  const replies = messages.map((message, index) => replyTo(message, index + 1));
  await publishReplies(services, ...replies);
  for (const reply of replies) expect(await delivered(services, reply)).toMatchObject({ state: 'sent' });
}

const answeredBy = (address: string): (string | undefined)[] =>
  mailsTo(services, address).map(({ headers }) => headers['In-Reply-To']);

const inReplyTo = ({ messageId }: { messageId: string }): [string, string] => [
  'In-Reply-To',
  `<${messageId}>`,
];

test('a reply answers the mail that it was asked for, even if others arrived in the same moment', async () => {
  const mailbox = await saveMailbox(services);
  const from = newPerson();
  const first = newMail(mailbox, { from });
  const [second, third] = [1, 2].map(() => newMail(mailbox, { from, headers: [inReplyTo(first)] }));
  for (const mail of [first, second!, third!]) await post(mailbox, mail);
  await answerAll(await messagesOf(mailbox));
  expect(answeredBy(from)).toEqual([first, second!, third!].map(({ messageId }) => `<${messageId}>`));
});

test('the link answers its mail, and each mail that waited has its own answer, without the pictures of its HTML', async () => {
  const mailbox = await authorized();
  const from = newPerson();
  const first = newMail(mailbox, {
    from,
    fields: { 'content-id-map': '{"<logo>": "attachment-1"}', 'attachment-count': '1' },
  });
  const second = newMail(mailbox, { from, headers: [inReplyTo(first)] });
  const logo = { name: 'logo.png', bytes: Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex') };
  await post(mailbox, first, [logo]);
  await post(mailbox, second);
  await services.mailer.sent.waitFor(({ to }) => to.includes(from));
  expect(answeredBy(from)).toEqual([`<${first.messageId}>`]);
  const database = services.harness.databaseAs('webhooks');
  const outbox = new Outbox({ bus: await services.harness.busAs('webhooks'), database, schema: 'webhooks' });
  const { tenantId, botId, integrationId } = mailbox;
  const released = await withTenant(database, [tenantId], (tx) =>
    releaseHeld({ outbox, showWritten: async () => undefined, wakeMailReading: () => undefined }, tx, {
      tenantId,
      botId,
      integrationId,
      sender: from,
    }),
  );
  expect(released).toBe(2);
  const messages = await messagesOf(mailbox);
  expect(messages.map(({ mail }) => mail?.documents)).toEqual([[], []]);
  await answerAll(messages);
  expect(answeredBy(from).slice(1)).toEqual([first, second].map(({ messageId }) => `<${messageId}>`));
});

test('a mail that is held because it may be forged is not answered, and adds nothing to the references', async () => {
  const mailbox = await authorized();
  const from = newPerson();
  await services.harness.asOwner(
    `insert into webhooks.sender_grants (tenant_id, grant_id, bot_id, kind, value, granted_by)
     values ($1, gen_random_uuid(), $2, 'sender', $3, $3)`,
    [mailbox.tenantId, mailbox.botId, from],
  );
  const first = newMail(mailbox, { from });
  const forged = newMail(mailbox, {
    from,
    headers: [
      ['X-Mailgun-Spf', 'Fail'],
      ['References', `<${first.messageId}> <junk@evil.example>`],
    ],
  });
  await post(mailbox, first);
  await post(mailbox, forged);
  const [message, ...more] = await messagesOf(mailbox);
  expect(more).toEqual([]);
  const { askedAt: _unknown, ...reply } = replyTo(message!, 1);
  await publishReplies(services, reply);
  await delivered(services, reply);
  const [sent] = mailsTo(services, from);
  expect(sent?.headers).toMatchObject({
    'In-Reply-To': `<${first.messageId}>`,
    References: `<${first.messageId}>`,
  });
  const [thread] = await services.harness.asOwner<{ references: string[] }>(
    'select "references" from webhooks.mail_threads where bot_id = $1',
    [mailbox.botId],
  );
  expect(thread?.references).not.toContain('junk@evil.example');
});
