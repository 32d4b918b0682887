import type { TenantTx } from '@botyard/shared/db/database';
import { alias } from '@botyard/shared/db/drizzle';
import { like, number } from '@botyard/shared/db/expressions';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, pick, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { mails } from '../../../store/mail-schema.ts';
import { replies } from '../../../store/schema.ts';

/**
 * The owner of mails that are queued as parts. Processes of the previous release queue other pending mails once more.
 */
const ownerOfQueuedMails = '00000000-0000-4000-8000-000000000001';

const queueText = `
  with added as materialized (
    select *
    from webhooks.mails m
    where m.tenant_id = $1
      and m.thread_id = any ($2::uuid[])
      and m.direction = 'out'
      and m.state = 'queued'
      and m.owner is distinct from '${ownerOfQueuedMails}'
    order by m.position
    for update
  ), part as (
    insert into webhooks.parts (tenant_id, part_id, reply_id, bot_id, platform_chat_id, payload, html, plain, state)
    select tenant_id, mail_id, reply_id, bot_id, thread_id::text, '{}', '', '', 'queued'
    from added
    order by position
  ), chat as (
    insert into webhooks.chats as c (tenant_id, bot_id, platform_chat_id, integration_id, platform, ready_at)
    select distinct t.tenant_id, t.bot_id, t.thread_id::text, t.integration_id, 'email', now()
    from added m
    join webhooks.mail_threads t on t.tenant_id = m.tenant_id and t.thread_id = m.thread_id
    order by 1, 2, 3
    on conflict (tenant_id, bot_id, platform_chat_id) do update set
      platform = excluded.platform,
      integration_id = excluded.integration_id,
      ready_at = coalesce(c.ready_at, excluded.ready_at)
  )
  update webhooks.mails m
  set owner = '${ownerOfQueuedMails}', lease_until = now()
  from added
  where m.tenant_id = added.tenant_id and m.mail_id = added.mail_id`;

/** Queues the new mails of these threads as parts, in order. The caller has locked the threads. */
export async function queueAsParts(
  tx: TenantTx,
  { tenantId, threadIds }: { tenantId: string; threadIds: readonly string[] },
): Promise<void> {
  await tx.query({ name: 'webhooks.mails.queue_as_parts', text: queueText, values: [tenantId, threadIds] });
}

const m = alias(mails, 'm');
const mailToSend = columns({
  ...pick(m, 'state', 'reason', 'messageId', 'inReplyTo', 'recipient', 'subject', 'text'),
  /** `null` only if the mail is no longer pending. */
  ...pick(m, 'html', 'language', 'isCounted', 'isByStaff'),
  ageMs: number('extract(epoch from now() - m.created_at) * 1000'),
  /** The file of its reply. */
  file: like(
    replies.file,
    '(select r.file from webhooks.replies r where r.tenant_id = m.tenant_id and r.reply_id = m.reply_id)',
  ),
});
/** A mail as it is sent, which is the same for every attempt. */
export type MailToSend = RowOf<typeof mailToSend>;

const toSendText = typedSql`select ${mailToSend} from webhooks.mails m where m.tenant_id = $1 and m.mail_id = $2`;

export const getMailToSend = preparedStatement({
  name: 'webhooks.mails.to_send',
  text: toSendText,
  values: ({ tenantId, mailId }: { tenantId: string; mailId: string }) => [tenantId, mailId],
  result: ([row]) => row,
});

/** Records that a mail is being sent, with the counts of its part. */
export async function beginMail(
  tx: TenantTx,
  mail: { tenantId: string; mailId: string; send: number; openSends: number; isCounted: boolean },
): Promise<void> {
  await tx.query({
    name: 'webhooks.mails.begin',
    text: `update webhooks.mails set state = 'sending', reason = null, is_counted = is_counted or $5, sends = $3, open_sends = $4 + 1
           where tenant_id = $1 and mail_id = $2`,
    values: [mail.tenantId, mail.mailId, mail.send, mail.openSends, mail.isCounted],
  });
}

const maxReferences = 100;

/**
 * Saves the outcome of a mail from its part. A sent mail is added to the references of its thread. The first reference
 * is always kept, because mail programs build threads by it.
 */
export const settleMail = preparedStatement({
  name: 'webhooks.mails.settle',
  text: `with settled as (
           update webhooks.mails m set state = p.state, reason = p.last_error, attempts = p.attempts,
             is_uncertain = p.is_uncertain, open_sends = p.open_sends, sent_at = case when p.state = 'sent' then now() end,
             ready_at = case when p.state = 'queued' then m.ready_at end,
             lease_until = case when p.state = 'queued' then m.lease_until end
           from webhooks.parts p
           where m.tenant_id = $1 and m.mail_id = $2 and m.state in ('queued', 'sending')
             and p.tenant_id = m.tenant_id and p.part_id = m.mail_id and p.state <> 'sending'
           returning m.tenant_id, m.thread_id, m.message_id, m.state)
         update webhooks.mail_threads t set "references" =
           case when cardinality(t."references") < ${maxReferences} then t."references" || s.message_id
             else t."references"[1:1] || t."references"[3:] || s.message_id end
         from settled s where s.state = 'sent' and t.tenant_id = s.tenant_id and t.thread_id = s.thread_id
           and not (s.message_id = any (t."references"))`,
  values: ({ tenantId, mailId }: { tenantId: string; mailId: string }) => [tenantId, mailId],
});

/** A mail that bounced is not sent again. Its reply fails, unless another outcome was announced. */
export const giveUpPart = preparedStatement({
  name: 'webhooks.parts.bounced',
  text: `update webhooks.parts set state = 'failed', last_error = $3, is_uncertain = false, platform_message_id = null
         where tenant_id = $1 and part_id = $2 and (state in ('queued', 'sending') or is_unannounced)`,
  values: ({ tenantId, mailId, reason }: { tenantId: string; mailId: string; reason: string }) => [
    tenantId,
    mailId,
    reason,
  ],
});
