import type { TenantTx } from '@botyard/shared/db/database';
import { TenantPurge } from '@botyard/shared/work/tenant-purge';
import { announceEndpoint } from '../../endpoints/domain/announce-endpoint.ts';
import { deleteEndpointsOfTenant } from '../../endpoints/store/endpoints.ts';
import { dropAttachmentsOfTenant } from '../../files/store/attachments.ts';
import type { Deps } from '../deps.ts';

/** Ends all endpoints of a deleted tenant: nothing is received any longer, and their webhooks are due for removal. */
export async function closeEndpoints(
  deps: Pick<Deps, 'outbox' | 'endpoints' | 'wakeRegistrar'>,
  tx: TenantTx,
  tenantId: string,
): Promise<void> {
  const botIds = await deleteEndpointsOfTenant(tx, tenantId);
  await dropAttachmentsOfTenant(tx, tenantId);
  for (const botId of botIds) await announceEndpoint(deps, tx, { tenantId, botId });
  if (botIds.length > 0) tx.afterCommit(deps.wakeRegistrar);
}

/** Removes the data of deleted tenants from this service. An endpoint is removed after its webhook. */
export const createTenantPurge = (
  deps: Pick<Deps, 'database' | 'log' | 'outbox' | 'endpoints' | 'wakeRegistrar'>,
): TenantPurge =>
  new TenantPurge({
    database: deps.database,
    log: deps.log,
    schema: 'webhooks',
    prepare: (tx, tenantId) => closeEndpoints(deps, tx, tenantId),
    tables: [
      { name: 'parts' },
      { name: 'replies' },
      { name: 'chats' },
      { name: 'chat_moves' },
      { name: 'callbacks' },
      { name: 'group_rules' },
      { name: 'bot_paces' },
      { name: 'media' },
      { name: 'deliveries' },
      { name: 'conversations' },
      { name: 'reply_turns' },
      // Their bytes are removed first: see `createAttachmentRemoval`.
      { name: 'mail_attachments', where: 'false' },
      { name: 'mail_readings' },
      { name: 'mails' },
      { name: 'mail_threads' },
      { name: 'mail_tokens' },
      { name: 'mail_day_counts' },
      { name: 'sender_grants' },
      { name: 'sender_tokens' },
      { name: 'bounced_addresses' },
      // Removed after the rows that it counts.
      { name: 'storage_use' },
      { name: 'webhook_checks' },
      { name: 'whatsapp_people' },
      { name: 'whatsapp_templates' },
      { name: 'webchat_messages' },
      { name: 'webchat_sessions' },
      { name: 'webchat_visitors' },
      { name: 'installations' },
      { name: 'erased_people' },
      { name: 'endpoints', where: 'sealed_secrets is null' },
    ],
  });
