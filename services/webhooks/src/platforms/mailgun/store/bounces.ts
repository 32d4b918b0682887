import type { TenantTx } from '@botyard/shared/db/database';

export async function insertBouncedAddress(
  tx: TenantTx,
  {
    tenantId,
    address,
    reason,
    mailId,
  }: { tenantId: string; address: string; reason: string; mailId?: string },
): Promise<void> {
  await tx.query({
    name: 'webhooks.bounced_addresses.insert',
    text: `insert into webhooks.bounced_addresses (tenant_id, address, reason, details) values ($1, $2, $3, $4::jsonb)
           on conflict (tenant_id, address) do update
           set reason = excluded.reason, details = excluded.details, bounced_at = now()`,
    values: [tenantId, address, reason, JSON.stringify(mailId ? { mailId } : {})],
  });
}

/** Why mail to these addresses comes back, of those where it does. */
export async function listBounced(
  tx: TenantTx,
  tenantId: string,
  addresses: readonly string[],
): Promise<Map<string, string>> {
  const rows = await tx.query<{ address: string; reason: string }>({
    name: 'webhooks.bounced_addresses.find',
    text: 'select address, reason from webhooks.bounced_addresses where tenant_id = $1 and address = any ($2::text[])',
    values: [tenantId, addresses],
  });
  return new Map(rows.map(({ address, reason }) => [address, reason]));
}

export async function deleteBouncedAddress(tx: TenantTx, tenantId: string, address: string): Promise<void> {
  await tx.query({
    name: 'webhooks.bounced_addresses.delete',
    text: 'delete from webhooks.bounced_addresses where tenant_id = $1 and address = $2',
    values: [tenantId, address],
  });
}

export interface SentMail {
  mailId: string;
  threadId: string;
  recipient: string;
}

/** The mail of ours that came back: by its Message-Id, else the newest one of the last week to this address. */
export async function findBouncedMail(
  tx: TenantTx,
  asked: { tenantId: string; botId: string; messageId?: string | undefined; address?: string | undefined },
): Promise<SentMail | undefined> {
  const [row] = await tx.query<SentMail & Record<string, unknown>>({
    name: 'webhooks.mails.find_bounced',
    text: `select mail_id as "mailId", thread_id as "threadId", recipient from webhooks.mails
           where tenant_id = $1 and bot_id = $2 and direction = 'out' and state in ('sending', 'sent', 'bounced', 'queued')
             and case when $3::text is null then recipient = $4 and created_at > now() - interval '7 days'
               and state <> 'queued' else message_id = $3 end
           order by position desc limit 1`,
    values: [asked.tenantId, asked.botId, asked.messageId ?? null, asked.address ?? null],
  });
  return row;
}

/** The worker that holds it, if one does, writes nothing after this. */
export async function saveBounced(
  tx: TenantTx,
  { tenantId, mailId, reason }: { tenantId: string; mailId: string; reason: string },
): Promise<{ replyId: string | null } | undefined> {
  const [row] = await tx.query<{ replyId: string | null }>({
    name: 'webhooks.mails.bounced',
    text: `update webhooks.mails set state = 'bounced', reason = $3, ready_at = null, lease_until = null, fence = fence + 1
           where tenant_id = $1 and mail_id = $2
           returning reply_id as "replyId"`,
    values: [tenantId, mailId, reason],
  });
  return row;
}
