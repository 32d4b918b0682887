import { randomUUID } from 'node:crypto';
import { type Account, personIdOfAccount } from '@botyard/shared/auth/person-id';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  closeMailServices,
  type MailIntegration,
  type MailServices,
  mailsTo,
  openMailServices,
  openThread,
  saveMailbox,
  startMailWebhooks,
} from '../../mail-services.ts';
import { conversationOf, delivered, publishReplies, type Reply, textsIn } from '../../replies.ts';
import { type Integration, newIntegration, save } from '../../webhooks-services.ts';

let services: MailServices;
let mailbox: MailIntegration;
let integration: Integration;
beforeAll(async () => {
  services = await openMailServices();
  await startMailWebhooks(services);
  mailbox = await saveMailbox(services);
  integration = await save(services, newIntegration(services));
});
afterAll(() => closeMailServices(services));

/** The account is erased at this moment. */
async function eraseAccount(tenantId: string, account: Account): Promise<void> {
  await services.harness.asOwner(
    'insert into webhooks.erased_people (tenant_id, person_id, erased_before) values ($1, $2, now())',
    [tenantId, personIdOfAccount(tenantId, account)],
  );
}

const before = () => new Date(Date.now() - 60_000).toISOString();
const after = () => new Date(Date.now() + 60_000).toISOString();

const kept = async (reply: Reply) =>
  (
    await services.harness.asOwner<{ state: string; text: string; place: { platformChatId: string } }>(
      'select state, text, place from webhooks.replies where reply_id = $1',
      [reply.replyId],
    )
  )[0];
const nothing = { state: 'failed', text: '', place: { platformChatId: '', title: '' } };

test('a late reply to an erased person keeps its position, shows nothing and delays no other', async () => {
  const chat = conversationOf(integration);
  await eraseAccount(integration.tenantId, { platform: 'messenger', platformUserId: chat.platformChatId });
  const late = chat.reply('about an old word', { askedAt: before() });
  const next = chat.reply('about a new word', { askedAt: after() });
  await publishReplies(services, late, next);
  expect(await delivered(services, next)).toMatchObject({ state: 'sent' });
  expect(await delivered(services, late)).toMatchObject({ state: 'failed' });
  expect(await kept(late)).toMatchObject(nothing);
  expect(textsIn(services, chat.platformChatId)).toEqual(['about a new word']);
});

test('a late reply by mail to an erased person shows nothing and delays no other', async () => {
  const { address, reply } = await openThread(services, mailbox);
  await eraseAccount(mailbox.tenantId, { platform: 'email', platformUserId: address });
  const late = reply('about an old word', { askedAt: before() });
  const next = reply('about a new word', { askedAt: after() });
  await publishReplies(services, late, next);
  expect(await delivered(services, next)).toMatchObject({ state: 'sent' });
  expect(await kept(late)).toMatchObject(nothing);
  expect(mailsTo(services, address).map(({ text }) => text.trim())).toEqual(['about a new word']);
});

test('nothing is stored of a reply to a deleted thread', async () => {
  const { reply } = await openThread(services, mailbox);
  const chat = { platformChatId: randomUUID(), kind: 'private' as const, title: 'My parcel' };
  const late = reply('a word', { chat });
  await publishReplies(services, late);
  expect(await delivered(services, late)).toMatchObject({ state: 'failed' });
  expect(await kept(late)).toMatchObject(nothing);
});
