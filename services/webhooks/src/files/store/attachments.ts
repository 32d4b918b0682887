import type { PlatformTx, TenantTx } from '@botyard/shared/db/database';
import { alias, and, eq, inArray, sql } from '@botyard/shared/db/drizzle';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { rowsOf } from '@botyard/shared/db/rows';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import { mailAttachments } from '../../store/mail-schema.ts';

export type AttachmentRow = typeof mailAttachments.$inferSelect;

/** Lifetime of rows for files whose mail isn't stored yet: longer than any delivery takes. */
const hoursOfDelivery = 1;
/** The same for files of staff, whose messages may wait for as long as events are kept. */
export const hoursOfReply = 72;

/** Records files before their bytes are written, so that files without a mail are found and removed. */
export async function insertUnclaimed(
  tx: TenantTx,
  files: readonly Omit<AttachmentRow, 'removeAt' | 'extractedText' | 'textMissing' | 'createdAt'>[],
  hours = hoursOfDelivery,
): Promise<void> {
  const removeAt = sql`now() + make_interval(hours => ${hours})`;
  await tx.db.insert(mailAttachments).values(files.map((file) => ({ ...file, removeAt })));
}

/** Keeps the files of a stored mail, with their extracted text. */
export const claimAttachments = preparedStatement({
  name: 'webhooks.mail_attachments.claim',
  text: `update webhooks.mail_attachments a set remove_at = null, extracted_text = u.extracted, text_missing = u.missing
         from unnest($3::uuid[], $4::text[], $5::text[]) as u (attachment_id, extracted, missing)
         where a.tenant_id = $1 and a.mail_id = $2 and a.attachment_id = u.attachment_id`,
  values: (
    { tenantId, mailId }: { tenantId: string; mailId: string },
    texts: readonly Pick<AttachmentRow, 'attachmentId' | 'extractedText' | 'textMissing'>[],
  ) => [
    tenantId,
    mailId,
    texts.map(({ attachmentId }) => attachmentId),
    texts.map(({ extractedText }) => extractedText),
    texts.map(({ textMissing }) => textMissing),
  ],
});

export async function listAttachments(
  tx: TenantTx,
  tenantId: string,
  mailIds: readonly string[],
): Promise<AttachmentRow[]> {
  if (mailIds.length === 0) return [];
  return await tx.db
    .select()
    .from(mailAttachments)
    .where(and(eq(mailAttachments.tenantId, tenantId), inArray(mailAttachments.mailId, [...mailIds])))
    .orderBy(mailAttachments.attachmentId);
}

/** The same, by mail. */
export const attachmentsByMail = async (...asked: Parameters<typeof listAttachments>) =>
  Map.groupBy(await listAttachments(...asked), ({ mailId }) => mailId);

/** Marks the files of a rejected mail for removal, unless the mail is stored after all. */
export const dropUnclaimed = preparedStatement({
  name: 'webhooks.mail_attachments.drop_unclaimed',
  text: `update webhooks.mail_attachments set remove_at = now()
         where tenant_id = $1 and mail_id = $2 and remove_at is not null`,
  values: ({ tenantId, mailId }: { tenantId: string; mailId: string }) => [tenantId, mailId],
});

/** Marks all files of a tenant for removal. */
export const dropAttachmentsOfTenant = preparedStatement({
  name: 'webhooks.mail_attachments.drop_all',
  text: `update webhooks.mail_attachments set remove_at = now()
         where tenant_id = $1 and (remove_at is null or remove_at > now())`,
  values: (tenantId: string) => [tenantId],
});

/** Some of the files that are marked for removal. */
export async function listAttachmentsToRemove(
  tx: PlatformTx,
  limit: number,
): Promise<Pick<AttachmentRow, 'tenantId' | 'attachmentId' | 'objectKey'>[]> {
  const { tenantId, attachmentId, objectKey } = mailAttachments;
  return await tx.db
    .select({ tenantId, attachmentId, objectKey })
    .from(mailAttachments)
    .where(sql`${mailAttachments.removeAt} <= now()`)
    .orderBy(mailAttachments.removeAt)
    .limit(limit);
}

const stored = rowsOf(mailAttachments, 'tenantId', 'attachmentId');
/** `deleteAttachment` is for a file whose bytes are removed. */
export const { get: getAttachment, remove: deleteAttachment } = stored;

const { tenantId, attachmentId, objectKey } = alias(mailAttachments, 'a');
const expired = columns({ tenantId, attachmentId, objectKey });

/** Some older files, except those of mails whose sender isn't admitted yet. */
export async function listExpiredAttachments(
  tx: PlatformTx,
  { days, limit }: { days: number; limit: number },
): Promise<Pick<AttachmentRow, 'tenantId' | 'attachmentId' | 'objectKey'>[]> {
  return await tx.query({
    name: 'webhooks.mail_attachments.expired',
    text: typedSql`select ${expired}
           from webhooks.mail_attachments a
           where a.missing_reason is null and a.remove_at is null and a.created_at < now() - make_interval(days => $1)
             and not exists (select from webhooks.mails m
               where m.tenant_id = a.tenant_id and m.mail_id = a.mail_id and m.state = 'held')
           order by a.created_at limit $2`,
    values: [days, limit],
  });
}

/** The same for a file without an owner. A file of staff has a row as media, too, that nobody needs any more. */
export const deleteUnowned = preparedStatement({
  name: 'webhooks.mail_attachments.delete_unowned',
  text: `with gone as (
           delete from webhooks.mail_attachments where tenant_id = $1 and attachment_id = $2
           returning mail_id)
         delete from webhooks.media m using gone
         where m.tenant_id = $1 and m.media_id = gone.mail_id and m.sender_id = ''`,
  values: ({ tenantId, attachmentId }: Pick<AttachmentRow, 'tenantId' | 'attachmentId'>) => [
    tenantId,
    attachmentId,
  ],
});

/** Stores what came of reading a document. */
export const saveText = (
  tx: TenantTx,
  file: Pick<AttachmentRow, 'tenantId' | 'attachmentId' | 'extractedText' | 'textMissing'>,
) => {
  const { extractedText, textMissing } = file;
  return stored.update(tx, file, { extractedText, textMissing });
};

/** Marks a file whose bytes and text are removed. The mail still names it. */
export const expireAttachment = (tx: TenantTx, file: Pick<AttachmentRow, 'tenantId' | 'attachmentId'>) =>
  stored.update(tx, file, { missingReason: 'expired', extractedText: null });
