import { withTenant } from '@botyard/shared/db/database';
import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../deps.ts';
import { type AttachmentRow, dropUnclaimed, insertUnclaimed } from '../store/attachments.ts';
import { type ReadText, readAtOnce } from './extract-texts.ts';
import { cleanFileName, mediaTypeOf } from './media-type.ts';
import { retryingLockConflicts } from './retrying-lock-conflicts.ts';
import type { SpooledFile } from './spool.ts';
import { hasRoomFor } from './storage.ts';

/** A file as posted. */
export interface PostedFile {
  field: string;
  /** The name given by the sender. */
  name: string;
  file: SpooledFile;
}

/** A file whose bytes are in the object store, unless the tenant has no room for them. */
export type KeptFile = Pick<
  AttachmentRow,
  'attachmentId' | 'name' | 'mediaType' | 'sizeBytes' | 'isInline' | keyof ReadText
>;

type KeepDeps = Pick<Deps, 'database' | 'objects' | 'log' | 'mailStorageBytes'>;
interface FilesToKeep {
  files: readonly PostedFile[];
  inlineFields: ReadonlySet<string>;
  readText?: (document: SpooledFile & { mediaType: string }) => Promise<ReadText>;
}
interface Owner {
  tenantId: string;
  /** The mail, or the media of a chat. */
  mailId: string;
}

/**
 * Writes the files of a mail, or one file of a chat, to the object store, before the mail is stored. They are first
 * listed for removal within the hour: if the mail is never stored, for example because this process ends, its files are
 * removed.
 *
 * A document whose text takes time to be read is `waiting` for that: the sender of a mail isn't kept waiting.
 *
 * If the tenant has no room for all of them, none is stored. The mail then names them with the reason; documents stay
 * until they are read. @throws HttpError 503 if the database or the object store doesn't answer.
 */
export async function keepFiles(
  deps: KeepDeps,
  { tenantId, mailId }: Owner,
  { files, inlineFields, readText = readAtOnce }: FilesToKeep,
): Promise<KeptFile[]> {
  if (files.length === 0) return [];
  const typed = await Promise.all(
    files.map(async ({ field, name, file }, index) => {
      const clean = cleanFileName(name, index + 1);
      const attachmentId = uuidv7();
      const mediaType = await mediaTypeOf(file.head, clean);
      const text = await readText({ ...file, mediaType });
      return { attachmentId, name: clean, mediaType, file, isInline: inlineFields.has(field), ...text };
    }),
  );
  const rows = typed.map(({ attachmentId, name, mediaType, isInline, file: { sizeBytes, sha256 } }) => ({
    tenantId,
    mailId,
    attachmentId,
    name,
    mediaType,
    sizeBytes,
    sha256,
    isInline,
    objectKey: `${tenantId}/${mailId}/${attachmentId}`,
  }));
  const bytes = rows.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const hasRoom = await retryingLockConflicts(deps.database, tenantId, async (tx) => {
    const fits = await hasRoomFor(deps, tx, { tenantId, bytes });
    await insertUnclaimed(
      tx,
      rows.map((row) => ({ ...row, missingReason: fits ? null : 'storage_full' })),
    );
    return fits;
  });
  if (!hasRoom)
    deps.log.warn({ tenantId, mailId, bytes }, 'files are not stored: the tenant has no storage left');
  for (const [index, { objectKey, sizeBytes, sha256 }] of rows.entries()) {
    const { file, textMissing } = typed[index]!;
    if (hasRoom || textMissing === 'waiting')
      await deps.objects.put(objectKey, file.read(), { sizeBytes, sha256 });
  }
  return typed.map(({ file: { sizeBytes }, ...kept }) => ({ ...kept, sizeBytes }));
}

/**
 * Removes the files of a mail that was not accepted. If the removal can't be recorded now, they are removed within the
 * hour.
 */
export async function dropFiles(deps: KeepDeps, owner: Owner): Promise<void> {
  await withTenant(deps.database, [owner.tenantId], (tx) => dropUnclaimed(tx, owner)).catch(
    (error: unknown) =>
      deps.log.warn({ err: error, mailId: owner.mailId }, 'files without a mail will be removed later'),
  );
}
