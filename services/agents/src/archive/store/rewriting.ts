import type { PlatformTx, TenantTx } from '@botyard/shared/db/database';
import { and, eq, sql } from '@botyard/shared/db/drizzle';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, pick, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { archiveChats, archiveFiles } from '../../store/archive-schema.ts';
import { earlyEdits } from '../../store/chat-schema.ts';
import type { ChatInFile, FileKey, FileRow } from './files.ts';

/** Clears the keys of objects that were removed. */
export const clearKeys = preparedStatement({
  name: 'agents.archive_files.clear',
  text: `update agents.archive_files set next_key = nullif(next_key, $3), old_key = nullif(old_key, $4)
         where tenant_id = $1 and file_id = $2`,
  values: ({ tenantId, fileId, nextKey, oldKey }: FileRow) => [tenantId, fileId, nextKey, oldKey],
});

/**
 * Notes the new key of a file that is about to be rewritten. Returns `false` when another worker does so, or the file
 * no longer exists or was replaced.
 */
export const noteNextKey = preparedStatement({
  name: 'agents.archive_files.next',
  text: `update agents.archive_files set next_key = $4, created_at = now()
         where tenant_id = $1 and file_id = $2 and object_key = $3 and state = 'kept' returning 1`,
  values: (file: FileRow, nextKey: string) => [file.tenantId, file.fileId, file.objectKey, nextKey],
  result: (rows) => rows.length > 0,
});

/**
 * Puts the new bytes in the place of the old ones, which are marked for removal. Returns `false` when the file has
 * changed meanwhile.
 */
export async function replaceFile(
  tx: TenantTx,
  file: FileRow,
  made: Pick<FileRow, 'objectKey' | 'sha256' | 'messages' | 'rawBytes' | 'sizeBytes'> & {
    chats: readonly ChatInFile[];
  },
): Promise<boolean> {
  const key: FileKey = { tenantId: file.tenantId, fileId: file.fileId };
  const rows = await tx.query({
    name: 'agents.archive_files.replace',
    text: `update agents.archive_files set old_key = object_key, object_key = $newKey, next_key = null, sha256 = $sha256, messages = $messages,
             raw_bytes = $rawBytes, size_bytes = $sizeBytes, checked_at = now()
           where tenant_id = $tenantId and file_id = $fileId and object_key = $objectKey and next_key = $newKey returning 1`,
    values: {
      ...key,
      objectKey: file.objectKey,
      newKey: made.objectKey,
      sha256: made.sha256,
      messages: made.messages,
      rawBytes: made.rawBytes,
      sizeBytes: made.sizeBytes,
    },
  });
  if (rows.length === 0) return false;
  await tx.db
    .delete(archiveChats)
    .where(and(eq(archiveChats.tenantId, key.tenantId), eq(archiveChats.fileId, key.fileId)));
  if (made.chats.length > 0)
    await tx.db.insert(archiveChats).values(made.chats.map((chat) => ({ ...key, ...chat })));
  return true;
}

/** Files with content of these people, of their private chats, or of their groups. */
export async function listFilesOf(
  tx: TenantTx,
  {
    tenantId,
    personIds,
    privateIds,
    groupIds,
  }: {
    tenantId: string;
    personIds: readonly string[];
    privateIds: readonly string[];
    groupIds: readonly string[];
  },
  exceptIds: readonly string[],
  limit: number,
): Promise<FileRow[]> {
  return await tx.db
    .select()
    .from(archiveFiles)
    .where(
      sql`${archiveFiles.tenantId} = ${tenantId} and ${archiveFiles.state} = 'kept' and ${archiveFiles.fileId} in (
        select file_id from agents.archive_chats where tenant_id = ${tenantId}
          and (person_ids && ${sql.param(personIds)}::uuid[] or conversation_id = any (${sql.param([...privateIds, ...groupIds])}::uuid[])))
        and ${archiveFiles.fileId} <> all (${sql.param(exceptIds)}::uuid[])`,
    )
    .limit(limit);
}

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

export const markSearched = preparedStatement({
  name: 'agents.archive.deletion_done',
  text: `update agents.early_edits set unarchived_at = now()
         where tenant_id = $1 and conversation_id = $2 and platform_chat_id = $3 and platform_message_id = $4`,
  values: ({ tenantId, conversationId, platformChatId, platformMessageId }: Deletion) => [
    tenantId,
    conversationId,
    platformChatId,
    platformMessageId,
  ],
});
