import { withTenant } from '@botyard/shared/db/database';
import { eraseFiles } from '../../../files/domain/removal.ts';
import { listAttachments } from '../../../files/store/attachments.ts';
import type { Deps } from '../deps.ts';
import { deleteMails, deletePermissions, deleteThreads, listMailIds, type MailOf } from '../store/erasure.ts';

const batchSize = 200;

interface MailErasure {
  transport: MailOf;
  /** The time at which this call stops. */
  deadline: number;
  add(store: string, erased: number): void;
}

/**
 * Removes a person's mails, the bytes of their files first: after a kill, the mails still lead to the rest. Returns
 * `false` when the time ran out.
 */
export async function eraseMails(
  deps: Pick<Deps, 'database' | 'objects'>,
  { transport, deadline, add }: MailErasure,
): Promise<boolean> {
  const { database } = deps;
  const { tenantId, addresses } = transport;
  if (addresses.length === 0) return true;
  for (;;) {
    const { mailIds, files } = await withTenant(database, [tenantId], async (tx) => {
      const ids = await listMailIds(tx, transport, batchSize);
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
  { transport, add }: Pick<MailErasure, 'transport' | 'add'>,
): Promise<void> {
  if (transport.addresses.length === 0) return;
  await withTenant(database, [transport.tenantId], async (tx) => {
    add('mail_threads', await deleteThreads(tx, transport));
    for (const [table, erased] of Object.entries(await deletePermissions(tx, transport))) add(table, erased);
    tx.afterCommit(wakeSender);
  });
}
