import type { PlatformName } from '@botyard/contracts/http/platform';
import type { Account } from '@botyard/shared/auth/person-id';
import { withTenant } from '@botyard/shared/db/database';
import type { ArchivedLine } from '../../archive/domain/file-format.ts';
import { emptyLine, type Rewritten, rewriteFile } from '../../archive/domain/rewrite-file.ts';
import { listFilesOf } from '../../archive/store/rewriting.ts';
import type { Deps } from '../deps.ts';
import { emptyTurnsOf, listEmptied } from '../store/groups.ts';

interface ArchiveErasure {
  tenantId: string;
  personIds: readonly string[];
  accounts: readonly Account[];
  privateIds: readonly string[];
  groupIds: readonly string[];
  erasedBefore: Date;
  deadline: number;
}

/**
 * Rewrites the files that hold content of these people without that content. `isDone` is false when the time ran out.
 */
export async function eraseFromArchive(
  deps: Pick<Deps, 'database' | 'objects'>,
  erasure: ArchiveErasure,
): Promise<{ lines: number; isDone: boolean }> {
  const { tenantId } = erasure;
  const skipped = new Set<string>();
  let lines = 0;
  for (;;) {
    const files = await withTenant(deps.database, [tenantId], (tx) =>
      listFilesOf(tx, erasure, [...skipped], 10),
    );
    if (files.length === 0) return { lines, isDone: true };
    for (const file of files) {
      if (Date.now() > erasure.deadline) return { lines, isDone: false };
      const changed = await rewriteFile(deps, file, (read) => withoutPeople(deps, erasure, read));
      // The file contains nothing of these people from before the erasure. Later messages stay.
      if (changed === 0) skipped.add(file.fileId);
      lines += changed;
    }
  }
}

async function withoutPeople(
  { database }: Pick<Deps, 'database'>,
  erasure: ArchiveErasure,
  lines: readonly ArchivedLine[],
): Promise<Rewritten> {
  const { tenantId, privateIds, groupIds, accounts } = erasure;
  const isOld = ({ createdAt, row }: ArchivedLine) =>
    Math.min(Date.parse(createdAt), Date.parse(row.received_at)) <= erasure.erasedBefore.getTime();
  const isNamed = (platform: PlatformName, id: string | undefined) =>
    accounts.some((account) => account.platform === platform && account.platformUserId === id);
  const quotesThem = ({ platform, row }: ArchivedLine) =>
    isNamed(platform, row.quote?.author?.platformUserId);
  const inGroups = lines.filter((line) => !privateIds.includes(line.conversationId));
  const said = inGroups.filter(
    (line) => isOld(line) && isNamed(line.platform, line.row.sender?.platformUserId),
  );
  const replies = await withTenant(database, [tenantId], async (tx) => {
    const messageIds = [...said, ...inGroups.filter(quotesThem)].map(({ messageId }) => messageId);
    await emptyTurnsOf(tx, tenantId, { conversationIds: groupIds, messageIds });
    return await listEmptied(tx, tenantId, groupIds);
  });
  const emptied = new Set([...said.map(({ messageId }) => messageId), ...replies]);
  let changed = 0;
  const kept = lines.flatMap((line) => {
    if (privateIds.includes(line.conversationId) && isOld(line)) {
      changed += 1;
      return [];
    }
    if (!emptied.has(line.messageId) && !quotesThem(line)) return [line];
    const isEmpty = line.row.text === '' && line.row.sender === null && line.row.quote === null;
    if (!isEmpty) changed += 1;
    return [emptied.has(line.messageId) ? emptyLine(line) : { ...line, row: { ...line.row, quote: null } }];
  });
  return { kept, changed };
}
