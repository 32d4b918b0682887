import type { PlatformName } from '@botyard/contracts/http/platform';
import type { Account } from '@botyard/shared/auth/person-id';
import { withTenant } from '@botyard/shared/db/database';
import { failpoint } from '@botyard/shared/service/failpoint';
import { v7 as uuidv7 } from 'uuid';
import { type ArchivedLine, chatsOf, pack } from '../../archive/domain/file-format.ts';
import { keepBytes, keyOf, readFile } from '../../archive/domain/objects.ts';
import type { FileRow } from '../../archive/store/files.ts';
import { clearKeys, listFilesOf, noteNextKey, replaceFile } from '../../archive/store/rewriting.ts';
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
 * Rewrites the files that hold content of these people without that content, and removes the old bytes. Each file is
 * replaced in one transaction, and new bytes are noted before they are written, so that a crash leaves nothing
 * unnoticed. `isDone` is false when the time ran out.
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
      const changed = await rewrite(deps, erasure, file);
      // The file contains nothing of these people from before the erasure. Later messages stay.
      if (changed === 0) skipped.add(file.fileId);
      lines += changed;
    }
  }
}

async function rewrite(
  deps: Pick<Deps, 'database' | 'objects'>,
  erasure: ArchiveErasure,
  file: FileRow,
): Promise<number> {
  const { database, objects } = deps;
  const { tenantId, fileId } = file;
  await removeOld(deps, file);
  const lines = await readFile(objects, file);
  const { kept, changed } = await withoutPeople(deps, erasure, lines);
  if (changed === 0) return 0;
  const packed = await pack(kept);
  const objectKey = keyOf(tenantId, fileId, uuidv7());
  if (!(await withTenant(database, [tenantId], (tx) => noteNextKey(tx, file, objectKey)))) return changed;
  await failpoint('agents.erasure.before-put');
  await keepBytes(objects, objectKey, packed, kept.length);
  const { sha256, rawBytes, bytes } = packed;
  const made = {
    objectKey,
    sha256,
    rawBytes,
    sizeBytes: bytes.length,
    messages: kept.length,
    chats: chatsOf(tenantId, kept),
  };
  const isReplaced = await withTenant(database, [tenantId], (tx) => replaceFile(tx, file, made));
  await failpoint('agents.erasure.before-remove');
  await removeOld(
    deps,
    isReplaced
      ? { ...file, objectKey, nextKey: null, oldKey: file.objectKey }
      : { ...file, nextKey: objectKey, oldKey: null },
  );
  return changed;
}

/** Removes replaced bytes, and new bytes that never replaced any. */
async function removeOld(
  { database, objects }: Pick<Deps, 'database' | 'objects'>,
  file: FileRow,
): Promise<void> {
  if (!file.nextKey && !file.oldKey) return;
  for (const key of [file.nextKey, file.oldKey]) if (key) await objects.remove(key);
  await withTenant(database, [file.tenantId], (tx) => clearKeys(tx, file));
}

async function withoutPeople(
  { database }: Pick<Deps, 'database'>,
  erasure: ArchiveErasure,
  lines: readonly ArchivedLine[],
): Promise<{ kept: ArchivedLine[]; changed: number }> {
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

const emptyLine = (line: ArchivedLine): ArchivedLine => ({
  ...line,
  row: {
    ...line.row,
    text: '',
    sender: null,
    quote: null,
    command: null,
    attachment: null,
    mail: null,
    platform_message_id: null,
    last_error: null,
    content: 'unsupported',
  },
});
