import { randomInt, randomUUID } from 'node:crypto';
import { withTenant } from '@botyard/shared/db/database';
import { hasFoundSome } from '@botyard/shared/db/failures';
import { ServiceHarness } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  releaseEmptyChats,
  requireHeld,
  type SentReply,
  saveSentReplies,
} from '../../../src/delivery/store/sent-replies.ts';

let harness: ServiceHarness;

beforeAll(async () => {
  harness = await ServiceHarness.open();
});
afterAll(() => harness?.close());

/** A reply of one part, which is sent in a chat of its own. */
async function sentReply(): Promise<SentReply> {
  const [tenantId, botId, integrationId] = [randomUUID(), randomUUID(), randomUUID()];
  const [replyId, partId, conversationId] = [randomUUID(), randomUUID(), randomUUID()];
  const platformChatId = String(randomInt(2 ** 40));
  const fence = -randomInt(2 ** 40);
  await harness.asOwner(
    `with chat as (insert into webhooks.chats (tenant_id, bot_id, platform_chat_id, integration_id, fence, ready_at, lease_until)
       values ($1, $2, $3, $4, $5, now(), now() + interval '8 seconds')),
     reply as (insert into webhooks.replies (tenant_id, reply_id, bot_id, integration_id, conversation_id, reply_seq, place,
       text, state) values ($1, $6, $2, $4, $7, 1, '{}', 'Hello', 'queued'))
     insert into webhooks.parts (tenant_id, part_id, reply_id, bot_id, platform_chat_id, html, plain, state, sends)
       values ($1, $8, $6, $2, $3, 'Hello', 'Hello', 'sending', 1)`,
    [tenantId, botId, platformChatId, integrationId, fence, replyId, conversationId, partId],
  );
  const chat = { tenantId, botId, integrationId, platform: 'messenger' as const, platformChatId, fence };
  return { chat, partId, replyId, conversationId, send: 1, platformMessageId: '7' };
}

const settle = (...sent: SentReply[]) => {
  const chats = sent.map(({ chat }) => chat);
  const tenantIds = chats.map(({ tenantId }) => tenantId);
  return withTenant(
    harness.databaseAs('webhooks'),
    tenantIds,
    async (tx) => {
      const [, , empty] = await Promise.all([
        requireHeld(tx, chats),
        saveSentReplies(tx, sent),
        releaseEmptyChats(tx, chats),
      ]);
      return empty;
    },
    { isOneRoundTrip: true },
  );
};

const stateOf = async ({ replyId }: SentReply) =>
  (
    await harness.asOwner(
      `select r.state as reply, p.state as part, p.platform_message_id, c.lease_until is not null as is_leased,
         c.ready_at is not null as is_ready
       from webhooks.replies r join webhooks.parts p using (reply_id)
       join webhooks.chats c on c.bot_id = p.bot_id and c.platform_chat_id = p.platform_chat_id
       where r.reply_id = $1`,
      [replyId],
    )
  )[0];

const open = { reply: 'queued', part: 'sending', platform_message_id: null, is_leased: true, is_ready: true };
const settled = { reply: 'sent', part: 'sent', platform_message_id: '7' };

test('sent replies of several tenants are settled, and chats in which more waits are kept', async () => {
  const [done, next] = [await sentReply(), await sentReply()];
  await harness.asOwner(
    `insert into webhooks.parts (tenant_id, part_id, bot_id, platform_chat_id, html, plain, state)
     values ($1, $2, $3, $4, '', '', 'queued')`,
    [next.chat.tenantId, randomUUID(), next.chat.botId, next.chat.platformChatId],
  );
  expect(await settle(done, next)).toEqual(new Set([done.chat.fence]));
  expect(await stateOf(done)).toEqual({ ...settled, is_leased: false, is_ready: false });
  expect(await stateOf(next)).toEqual({ ...settled, is_leased: true, is_ready: true });
});

test.each([
  ['another worker holds a chat', 'update webhooks.chats set fence = fence - 1 where platform_chat_id = $1'],
  ['a later send was begun', 'update webhooks.parts set sends = 2 where platform_chat_id = $1'],
  ['a message was erased', 'delete from webhooks.parts where platform_chat_id = $1'],
])('nothing is written if %s', async (_why, change) => {
  const [one, other] = [await sentReply(), await sentReply()];
  await harness.asOwner(change, [other.chat.platformChatId]);
  await expect(settle(one, other)).rejects.toSatisfy(hasFoundSome);
  expect(await stateOf(one)).toEqual(open);
});
