import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { createNatsObjects } from '@botyard/shared/files/objects/nats-objects';
import type { ServiceHarness } from '@botyard/testing/service-harness';
import { v7 as uuidv7 } from 'uuid';
import type { Resources } from './access-fixture.ts';

/** A thread of a bot with a held mail and its attachment, and a grant that has the given identifier. */
export async function createMail(
  harness: ServiceHarness,
  { tenantId, botId, grantId }: Record<'tenantId' | 'botId' | 'grantId', string>,
): Promise<Resources> {
  const [threadId, mailId, attachmentId] = [uuidv7(), uuidv7(), uuidv7()];
  const objectKey = `${tenantId}/${attachmentId}`;
  const objects = createNatsObjects(await harness.busAs('webhooks'), { maxBytes: 2 ** 20 });
  await objects.put(objectKey, Readable.from([Buffer.from('text')]), { sizeBytes: 4, sha256: '' });
  await harness.asOwner(
    `insert into webhooks.mail_threads (tenant_id, thread_id, bot_id, integration_id, conversation_id, plus_token, subject,
       correspondent, correspondent_name) values ($1, $2, $3, $4::uuid, $4::uuid, $4::uuid::text, 'Hello', 'anna@people.example', 'Anna')`,
    [tenantId, threadId, botId, randomUUID()],
  );
  await harness.asOwner(
    `insert into webhooks.mails (tenant_id, mail_id, thread_id, bot_id, direction, message_id, sender, sender_name, recipient,
       subject, text, state) values ($1, $2, $3, $4, 'in', $5, 'anna@people.example', 'Anna', 'bot@bots.example', '', '', 'held')`,
    [tenantId, mailId, threadId, botId, `${mailId}@people.example`],
  );
  await harness.asOwner(
    `insert into webhooks.mail_attachments (tenant_id, attachment_id, mail_id, name, media_type, size_bytes, sha256, object_key)
     values ($1, $2, $3, 'a.txt', 'text/plain', 4, '', $4)`,
    [tenantId, attachmentId, mailId, objectKey],
  );
  await harness.asOwner(
    `insert into webhooks.sender_grants (tenant_id, grant_id, bot_id, kind, value, granted_by)
     values ($1, $2, $3, 'sender', $4, 'user:x')`,
    [tenantId, grantId, botId, `${grantId}@people.example`],
  );
  return { threadId, mailId, attachmentId };
}
