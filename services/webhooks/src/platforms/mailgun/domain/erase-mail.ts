import { withTenant } from '@botyard/shared/db/database';
import { eraseFiles } from '../../../files/domain/removal.ts';
import { listAttachments } from '../../../files/store/attachments.ts';
import type { PeopleErasure } from '../../domain/people-records.ts';
import type { Deps } from '../deps.ts';
import { deleteMails, deletePermissions, deleteThreads, listMailIds, type MailOf } from '../store/erasure.ts';

const batchSize = 200;

/**
 * Removes a person's mails, the bytes of their files first: after a kill, the mails still lead to the rest. Returns
 * `false` when the time ran out.
 */
export async function eraseMails(
  deps: Pick<Deps, 'database' | 'objects'>,
  erasure: PeopleErasure,
): Promise<boolean> {
  const { database } = deps;
  const { tenantId, deadline, add } = erasure;
  for (;;) {
    const { mailIds, files } = await withTenant(database, [tenantId], async (tx) => {
      const ids = await listMailIds(tx, mailOf(erasure), batchSize);
      return { mailIds: ids, files: await listAttachments(tx, tenantId, ids) };
    });
    if (mailIds.length === 0) return true;
    await eraseFiles(deps, files);
    add('mail_attachments', files.length);
    add('mails', await withTenant(database, [tenantId], (tx) => deleteMails(tx, { tenantId, mailIds })));
    if (Date.now() > deadline) return false;
  }
}

/** Removes the rest of a person's threads, and their permissions. */
export async function forgetMail(
  { database, wakeSender }: Pick<Deps, 'database' | 'wakeSender'>,
  erasure: PeopleErasure,
): Promise<void> {
  const { tenantId, add } = erasure;
  await withTenant(database, [tenantId], async (tx) => {
    add('mail_threads', await deleteThreads(tx, mailOf(erasure)));
    for (const [table, erased] of Object.entries(await deletePermissions(tx, mailOf(erasure))))
      add(table, erased);
    tx.afterCommit(() => wakeSender('email'));
  });
}

const mailOf = ({ tenantId, platformUserIds: addresses, erasedBefore }: PeopleErasure): MailOf => ({
  tenantId,
  addresses,
  erasedBefore,
});
