import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { DataOf } from '@botyard/contracts/events/definition';
import { messageReceived } from '@botyard/contracts/events/webhooks';
import { createNatsObjects } from '@botyard/shared/files/objects/nats-objects';
import { firstSample } from '@botyard/testing/samples';
import type { ServiceHarness } from '@botyard/testing/service-harness';

/** Sends a message to a bot that the agents service knows. Returns its conversation. */
export async function sendMessage(
  harness: ServiceHarness,
  message: Partial<DataOf<typeof messageReceived>> & { tenantId: string },
): Promise<string> {
  const conversationId = randomUUID();
  await harness.publish(messageReceived, {
    ...firstSample(messageReceived),
    ...message,
    conversationId,
  });
  await harness.settled('agents', 'webhooks');
  return conversationId;
}

/**
 * A chat with a message that is dead, and a reply that did not arrive, which stay so however often they are replayed or
 * dropped, and the record of an answer.
 */
export async function createChat(
  harness: ServiceHarness,
  tenantId: string,
): Promise<Record<'chatId' | 'messageId' | 'personId' | 'replyId' | 'traceId', string>> {
  const conversationId = await sendMessage(harness, { tenantId, botId: randomUUID() });
  const [said] = await harness.asOwner<{ chatId: string; messageId: string; personId: string }>(
    `select chat_id as "chatId", message_id as "messageId", person_id as "personId" from agents.conversations c
     join agents.messages m using (tenant_id, conversation_id)
     join agents.people p using (tenant_id, conversation_id) where conversation_id = $1`,
    [conversationId],
  );
  if (!said) throw new Error('the message made no chat');
  const traceId = randomUUID();
  await harness.asOwner(
    `insert into agents.turns (tenant_id, turn_id, conversation_id, message_ids, reply_id, outcome, key_source,
       context_messages, input_tokens, output_tokens, is_estimated, duration_ms)
     values ($1, $2, $3, array[$4::uuid], gen_random_uuid(), 'command', 'none', 0, 0, 0, false, 1)`,
    [tenantId, traceId, conversationId, said.messageId],
  );
  await attachFile(harness, { tenantId, conversationId, messageId: said.messageId });
  await stayDead(harness, said.messageId);
  return { ...said, traceId, replyId: await createUndelivered(harness, tenantId, conversationId) };
}

/** A file that came with the message and is kept. */
async function attachFile(
  harness: ServiceHarness,
  { tenantId, conversationId, messageId }: Record<'tenantId' | 'conversationId' | 'messageId', string>,
): Promise<void> {
  const [mediaId, attachmentId] = [randomUUID(), randomUUID()];
  const objectKey = `${tenantId}/${mediaId}`;
  const objects = createNatsObjects(await harness.busAs('webhooks'), { maxBytes: 2 ** 20 });
  await objects.put(objectKey, Readable.from([Buffer.from('text')]), { sizeBytes: 4, sha256: '' });
  await harness.asOwner(
    `insert into webhooks.media (tenant_id, media_id, bot_id, conversation_id, platform, sender_id, name, state, due_at)
     values ($1, $2, gen_random_uuid(), $3, 'messenger', '1', 'a.txt', 'kept', null)`,
    [tenantId, mediaId, conversationId],
  );
  await harness.asOwner(
    `insert into webhooks.mail_attachments (tenant_id, attachment_id, mail_id, name, media_type, size_bytes, sha256, object_key)
     values ($1, $2, $3, 'a.txt', 'text/plain', 4, '', $4)`,
    [tenantId, attachmentId, mediaId, objectKey],
  );
  await harness.asOwner(`update agents.messages set attachment = $2 where message_id = $1`, [
    messageId,
    JSON.stringify({ kind: 'document', mediaId }),
  ]);
}

async function stayDead(harness: ServiceHarness, messageId: string): Promise<void> {
  // Two concurrent calls would both create it.
  await harness.asOwner(`select pg_advisory_xact_lock(1);
    create or replace function agents.test_stay_dead() returns trigger language plpgsql as
    $$ begin new.status = 'dead'; return new; end $$;
    create or replace trigger test_stay_dead before update on agents.messages for each row
      when (old.status = 'dead' and new.status = 'queued') execute function agents.test_stay_dead()`);
  await harness.asOwner(`update agents.messages set status = 'dead' where message_id = $1`, [messageId]);
}

async function createUndelivered(
  harness: ServiceHarness,
  tenantId: string,
  conversationId: string,
): Promise<string> {
  await harness.asOwner(`select pg_advisory_xact_lock(1);
    create or replace function agents.test_stay_undelivered() returns trigger language plpgsql as
    $$ begin new.dismissed_at = null; return new; end $$;
    create or replace trigger test_stay_undelivered before update of dismissed_at on agents.messages for each row
      execute function agents.test_stay_undelivered()`);
  const replyId = randomUUID();
  await harness.asOwner(
    `insert into agents.messages (tenant_id, message_id, conversation_id, direction, seq, text, content, status, received_at)
     values ($1, $2, $3, 'out', 1000000, 'hello', 'text', 'failed', now())`,
    [tenantId, replyId, conversationId],
  );
  return replyId;
}
