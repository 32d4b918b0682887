import type { PlatformTx, TenantTx } from '@botyard/shared/db/database';

/** A mail whose outcome was written by itself: what follows from it is still to be done. */
export interface UnannouncedMail {
  tenantId: string;
  mailId: string;
  threadId: string;
  messageId: string;
  replyId: string | null;
  state: 'sent' | 'failed';
  reason: string | null;
  isUncertain: boolean;
}

export async function hasMail(tx: TenantTx, tenantId: string, mailId: string): Promise<boolean> {
  const rows = await tx.query({
    name: 'webhooks.mails.exists',
    text: 'select from webhooks.mails where tenant_id = $1 and mail_id = $2',
    values: [tenantId, mailId],
  });
  return rows.length > 0;
}

export async function listUnannouncedMails(tx: PlatformTx): Promise<UnannouncedMail[]> {
  return await tx.query<UnannouncedMail & Record<string, unknown>>({
    name: 'webhooks.mails.unannounced',
    text: `select tenant_id as "tenantId", mail_id as "mailId", thread_id as "threadId", message_id as "messageId",
             reply_id as "replyId", state, reason, is_uncertain as "isUncertain"
           from webhooks.mails where is_unannounced limit 100`,
    values: [],
  });
}

/** Takes the mark away; `false` when somebody else has done so. */
export async function takeUnannouncedMail(
  tx: TenantTx,
  { tenantId, mailId }: UnannouncedMail,
): Promise<boolean> {
  const rows = await tx.query({
    name: 'webhooks.mails.announce',
    text: `update webhooks.mails set is_unannounced = false
           where tenant_id = $1 and mail_id = $2 and is_unannounced returning 1`,
    values: [tenantId, mailId],
  });
  return rows.length > 0;
}
