import type { PlatformTx, TenantTx } from '@botyard/shared/db/database';
import { columns, pick, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { earlyEdits } from '../../store/chat-schema.ts';

const deletion = columns(
  pick(earlyEdits, 'tenantId', 'conversationId', 'platformChatId', 'platformMessageId'),
);
/** A message that a person has deleted, and that files of the archive may still contain. */
export type Deletion = RowOf<typeof deletion>;

export async function listUnsearched(tx: PlatformTx, limit: number): Promise<Deletion[]> {
  return await tx.query({
    name: 'agents.archive.deletions',
    text: typedSql`select ${deletion} from agents.early_edits
           where deleted_at is not null and unarchived_at is null limit $1`,
    values: [limit],
  });
}

export async function markSearched(
  tx: TenantTx,
  { tenantId, conversationId, platformChatId, platformMessageId }: Deletion,
): Promise<void> {
  await tx.query({
    name: 'agents.archive.deletion_done',
    text: `update agents.early_edits set unarchived_at = now()
           where tenant_id = $1 and conversation_id = $2 and platform_chat_id = $3 and platform_message_id = $4`,
    values: [tenantId, conversationId, platformChatId, platformMessageId],
  });
}
