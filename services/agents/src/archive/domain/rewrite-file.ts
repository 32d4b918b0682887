import { withTenant } from '@botyard/shared/db/database';
import { failpoint } from '@botyard/shared/service/failpoint';
import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../deps.ts';
import type { FileRow } from '../store/files.ts';
import { clearKeys, noteNextKey, replaceFile } from '../store/rewriting.ts';
import { type ArchivedLine, chatsOf, pack } from './file-format.ts';
import { keepBytes, keyOf, readFile } from './objects.ts';

/** The lines that a file is to have, and how many of them were changed or left out. */
export interface Rewritten {
  kept: readonly ArchivedLine[];
  changed: number;
}

/**
 * Rewrites a file and removes its old bytes. It is replaced in one transaction, and new bytes are noted before they are
 * written, so that a crash leaves nothing unnoticed. Returns how many lines were changed.
 */
export async function rewriteFile(
  deps: Pick<Deps, 'database' | 'objects'>,
  file: FileRow,
  edit: (lines: readonly ArchivedLine[]) => Rewritten | Promise<Rewritten>,
): Promise<number> {
  const { database, objects } = deps;
  const { tenantId, fileId } = file;
  await removeOld(deps, file);
  const lines = await readFile(objects, file);
  const { kept, changed } = await edit(lines);
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

export const emptyLine = (line: ArchivedLine): ArchivedLine => ({
  ...line,
  row: {
    ...line.row,
    text: '',
    sender: null,
    quote: null,
    command: null,
    attachment: null,
    template: null,
    choices: null,
    mail: null,
    platform_message_id: null,
    last_error: null,
    content: 'unsupported',
  },
});
