import type { TenantTx } from '@botyard/shared/db/database';
import { alias } from '@botyard/shared/db/drizzle';
import { boolean } from '@botyard/shared/db/expressions';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, pick, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { bouncedAddresses, mails, mailThreads } from '../../../store/mail-schema.ts';

export const insertBouncedAddress = preparedStatement({
  name: 'webhooks.bounced_addresses.insert',
  text: `insert into webhooks.bounced_addresses (tenant_id, address, reason, details) values ($1, $2, $3, $4::jsonb)
         on conflict (tenant_id, address) do update
         set reason = excluded.reason, details = excluded.details, bounced_at = now()`,
  values: ({
    tenantId,
    address,
    reason,
    mailId,
  }: {
    tenantId: string;
    address: string;
    reason: string;
    mailId?: string;
  }) => [tenantId, address, reason, JSON.stringify(mailId ? { mailId } : {})],
});

const bouncedText = typedSql`
  select ${columns({ address: bouncedAddresses.address, reason: bouncedAddresses.reason })}
  from webhooks.bounced_addresses where tenant_id = $1 and address = any ($2::text[])`;

/** The reasons why mail to these addresses bounces, for those where it does. */
export const listBounced = preparedStatement({
  name: 'webhooks.bounced_addresses.find',
  text: bouncedText,
  values: (tenantId: string, addresses: readonly string[]) => [tenantId, addresses],
  result: (rows) => new Map(rows.map(({ address, reason }) => [address, reason])),
});

const m = alias(mails, 'm');
const t = alias(mailThreads, 't');
const sentMail = columns({
  ...pick(m, 'mailId', 'threadId', 'recipient'),
  conversationId: t.conversationId,
  isSent: boolean("m.state = 'sent'"),
});
type SentMail = RowOf<typeof sentMail>;

const findText = typedSql`
  select ${sentMail}
  from webhooks.mails m
  join webhooks.mail_threads t on t.tenant_id = m.tenant_id and t.thread_id = m.thread_id
  where m.tenant_id = $1 and m.bot_id = $2 and m.direction = 'out'
    and m.state in ('sending', 'sent', 'bounced', 'queued')
    and case
      when $3::text is not null then m.message_id = $3
      else m.recipient = $4 and m.created_at > now() - interval '7 days' and m.state <> 'queued'
    end
  order by m.position desc
  limit 1`;

/** The sent mail that bounced: found by its Message-Id, or else the newest one of the last week to this address. */
export async function findBouncedMail(
  tx: TenantTx,
  asked: { tenantId: string; botId: string; messageId?: string | undefined; address?: string | undefined },
): Promise<SentMail | undefined> {
  return await tx.first({
    name: 'webhooks.mails.find_bounced',
    text: findText,
    values: [asked.tenantId, asked.botId, asked.messageId ?? null, asked.address ?? null],
  });
}

const replyOfMail = columns({ replyId: mails.replyId });
const saveText = typedSql`update webhooks.mails set state = 'bounced', reason = $3, ready_at = null, lease_until = null,
    fence = fence + 1
  where tenant_id = $1 and mail_id = $2 returning ${replyOfMail}`;

/** A worker that holds the mail writes nothing after this. */
export const saveBounced = preparedStatement({
  name: 'webhooks.mails.bounced',
  text: saveText,
  values: ({ tenantId, mailId, reason }: { tenantId: string; mailId: string; reason: string }) => [
    tenantId,
    mailId,
    reason,
  ],
  result: ([row]) => row,
});
