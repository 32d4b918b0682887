import type { PageRequest } from '@botyard/contracts/http/page';
import type { TenantTx } from '@botyard/shared/db/database';
import { and, desc, eq, lt, sql } from '@botyard/shared/db/drizzle';
import { rowsOf } from '@botyard/shared/db/rows';
import { pick } from '@botyard/shared/db/typed-sql';
import { mails } from '../../../store/mail-schema.ts';

export type MailRow = typeof mails.$inferSelect;
const stored = rowsOf(mails, 'tenantId', 'mailId');
export const findMail = stored.get;

/** Limits the size of a page of the list. */
const maxListedCharacters = 4000;

const listed = {
  ...pick(mails, 'mailId', 'threadId', 'botId', 'direction', 'sender', 'senderName', 'senderProof'),
  ...pick(mails, 'recipient', 'subject', 'state', 'reason', 'isAutomatic', 'isByStaff'),
  ...pick(mails, 'createdAt', 'sentAt'),
  text: sql<string>`left(${mails.text}, ${maxListedCharacters})`,
  hasHtml: sql<boolean>`${mails.html} is not null`,
};

interface WantedMails {
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
        // A literal, so that the index of held mails is used.
        state ? sql`${mails.state} = ${sql.raw(`'${state}'`)}` : undefined,
        page.before ? lt(mails.mailId, page.before) : undefined,
      ),
    )
    .orderBy(desc(mails.mailId))
    .limit(page.limit + 1);
}

/** A mail without its originals. */
export type ListedMail = Awaited<ReturnType<typeof listMails>>[number];

/** Refuses a held mail. Returns `false` if it isn't held. */
export async function refuseMail(
  tx: TenantTx,
  mail: Pick<MailRow, 'tenantId' | 'mailId'>,
  reason: string,
): Promise<boolean> {
  const rows = await tx.db
    .update(mails)
    .set({ state: 'ignored', reason })
    .where(and(stored.matches(mail), eq(mails.state, 'held')))
    .returning({ mailId: mails.mailId });
  return rows.length > 0;
}
