import type { PageRequest } from '@botyard/contracts/http/page';
import type { TenantTx } from '@botyard/shared/db/database';
import { and, asc, desc, eq, inArray, lt, sql } from '@botyard/shared/db/drizzle';
import { mailAttachments, mails } from '../../../store/mail-schema.ts';

export type MailRow = typeof mails.$inferSelect;
export type AttachmentRow = typeof mailAttachments.$inferSelect;

/** A page of a list is bounded in bytes too. */
const maxListedCharacters = 4000;

const { mailId, threadId, botId, direction, sender, senderName, senderProof, recipient } = mails;
const { subject, state, reason, isByStaff, createdAt, sentAt } = mails;
const listed = {
  ...{ mailId, threadId, botId, direction, sender, senderName, senderProof, recipient },
  ...{ subject, state, reason, isByStaff, createdAt, sentAt },
  text: sql<string>`left(${mails.text}, ${maxListedCharacters})`,
  hasHtml: sql<boolean>`${mails.html} is not null`,
};

export interface WantedMails {
  tenantId: string;
  threadId?: string | undefined;
  botId?: string | undefined;
  sender?: string | undefined;
  state?: MailRow['state'] | undefined;
}

/** Newest first. */
export async function listMails(
  tx: TenantTx,
  { tenantId, threadId, botId, sender, state }: WantedMails,
  page: PageRequest,
) {
  return await tx.db
    .select(listed)
    .from(mails)
    .where(
      and(
        eq(mails.tenantId, tenantId),
        threadId ? eq(mails.threadId, threadId) : undefined,
        botId ? eq(mails.botId, botId) : undefined,
        sender ? eq(mails.sender, sender) : undefined,
        // As text, so that the index of held mails is found.
        state ? sql`${mails.state} = ${sql.raw(`'${state}'`)}` : undefined,
        page.before ? lt(mails.mailId, page.before) : undefined,
      ),
    )
    .orderBy(desc(mails.mailId))
    .limit(page.limit + 1);
}

/** A mail without its originals. */
export type ListedMail = Awaited<ReturnType<typeof listMails>>[number];

export async function findMail(
  tx: TenantTx,
  { tenantId, mailId }: { tenantId: string; mailId: string },
): Promise<MailRow | undefined> {
  const [row] = await tx.db
    .select()
    .from(mails)
    .where(and(eq(mails.tenantId, tenantId), eq(mails.mailId, mailId)));
  return row;
}

/** Attachments of some mails, by mail. */
export async function listAttachments(
  tx: TenantTx,
  tenantId: string,
  mailIds: readonly string[],
): Promise<Map<string, AttachmentRow[]>> {
  if (mailIds.length === 0) return new Map();
  const rows = await tx.db
    .select()
    .from(mailAttachments)
    .where(and(eq(mailAttachments.tenantId, tenantId), inArray(mailAttachments.mailId, [...mailIds])))
    .orderBy(asc(mailAttachments.attachmentId));
  return Map.groupBy(rows, ({ mailId }) => mailId);
}

export async function findAttachment(
  tx: TenantTx,
  { tenantId, attachmentId }: { tenantId: string; attachmentId: string },
): Promise<AttachmentRow | undefined> {
  const [row] = await tx.db
    .select()
    .from(mailAttachments)
    .where(and(eq(mailAttachments.tenantId, tenantId), eq(mailAttachments.attachmentId, attachmentId)));
  return row;
}

/** Refuses a held mail. `false` if it isn't held. */
export async function refuseMail(
  tx: TenantTx,
  { tenantId, mailId }: { tenantId: string; mailId: string },
  reason: string,
): Promise<boolean> {
  const rows = await tx.db
    .update(mails)
    .set({ state: 'ignored', reason })
    .where(and(eq(mails.tenantId, tenantId), eq(mails.mailId, mailId), eq(mails.state, 'held')))
    .returning({ mailId: mails.mailId });
  return rows.length > 0;
}
