import { withPlatform, withTenant } from '@botyard/shared/db/database';
import { type Deletion, listFilesOf, listUnsearched, markSearched } from '../store/rewriting.ts';
import type { ArchivedLine } from './file-format.ts';
import type { ArchiveDeps } from './jobs.ts';
import { emptyLine, type Rewritten, rewriteFile } from './rewrite-file.ts';

const batchSize = 100;

/** Removes the content of messages from archive files that people have deleted since. */
export async function removeDeleted(deps: ArchiveDeps, isStopped: () => boolean): Promise<void> {
  const { database } = deps;
  for (;;) {
    const deletions = await withPlatform(database, 'deleted messages in the archive', (tx) =>
      listUnsearched(tx, batchSize),
    );
    let failure: { error: unknown } | undefined;
    for (const deletion of deletions) {
      if (isStopped()) return;
      // A damaged file keeps no other chat's messages.
      await removeFromFiles(deps, deletion).catch((error: unknown) => {
        failure = { error };
      });
    }
    if (failure) throw failure.error;
    if (deletions.length < batchSize) return;
  }
}

async function removeFromFiles(deps: ArchiveDeps, deletion: Deletion): Promise<void> {
  const { tenantId, conversationId } = deletion;
  const searched: string[] = [];
  for (;;) {
    const [file] = await withTenant(deps.database, [tenantId], (tx) =>
      listFilesOf(tx, { tenantId, personIds: [], privateIds: [], groupIds: [conversationId] }, searched, 1),
    );
    if (!file) break;
    const changed = await rewriteFile(deps, file, (lines) => withoutMessage(lines, deletion));
    // A file that another process has rewritten meanwhile is read again.
    if (changed === 0) searched.push(file.fileId);
  }
  await withTenant(deps.database, [tenantId], (tx) => markSearched(tx, deletion));
}

function withoutMessage(
  lines: readonly ArchivedLine[],
  { conversationId, platformMessageId }: Deletion,
): Rewritten {
  const isTheirs = (line: ArchivedLine) =>
    line.conversationId === conversationId &&
    line.row.direction === 'in' &&
    line.row.platform_message_id === platformMessageId;
  const quotesIt = ({ conversationId: id, row }: ArchivedLine) =>
    id === conversationId && row.quote?.platform_message_id === platformMessageId;
  let changed = 0;
  const kept = lines.map((line) => {
    if (!isTheirs(line) && !quotesIt(line)) return line;
    changed += 1;
    return isTheirs(line) ? emptyLine(line) : { ...line, row: { ...line.row, quote: null } };
  });
  return { kept, changed };
}
