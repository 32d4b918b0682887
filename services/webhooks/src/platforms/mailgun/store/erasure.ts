import type { TenantTx } from '@botyard/shared/db/database';
import { alias } from '@botyard/shared/db/drizzle';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import { mails, mailThreads } from '../../../store/mail-schema.ts';
import { hashOfMessageId } from './tokens.ts';

/** Selects the mail to erase: its addresses, and the time of the erasure. */
export interface MailOf {
  tenantId: string;
  /** In lower case; or identifiers of chats that are continued by mail. */
  addresses: readonly string[];
  erasedBefore: Date;
}

/** Threads of these addresses, or of these chats. */
const ofThem = '(correspondent = any ($2::text[]) or chat_id = any ($2::text[]))';

const thread = columns({ threadId: mailThreads.threadId, conversationId: mailThreads.conversationId });
const threadsText = typedSql`select ${thread} from webhooks.mail_threads
  where tenant_id = $1 and ${ofThem}`;

/** All threads that these addresses have. */
export const listThreads = preparedStatement({
  name: 'webhooks.erasure.threads',
  text: threadsText,
  values: ({ tenantId, addresses }: Pick<MailOf, 'tenantId' | 'addresses'>) => [tenantId, addresses],
});

/**
 * Mails of these threads, and mails from or to these addresses: those from before the erasure, and outgoing ones that
 * answer them.
 */
const theirs = `m.tenant_id = $1 and (m.sender = any ($2::text[]) or m.recipient = any ($2::text[]) or m.thread_id in (
    select thread_id from webhooks.mail_threads where tenant_id = $1 and ${ofThem}))
  and (m.created_at <= $3 or exists (select from webhooks.replies r
    where r.tenant_id = m.tenant_id and r.reply_id = m.reply_id and r.asked_at <= $3))`;

const valuesOf = ({ tenantId, addresses, erasedBefore }: MailOf) => [tenantId, addresses, erasedBefore];

const mailsText = typedSql`select ${columns({ mailId: alias(mails, 'm').mailId })} from webhooks.mails m
  where ${theirs} limit $4`;

/** Some of their mails. */
export const listMailIds = preparedStatement({
  name: 'webhooks.erasure.list_mails',
  text: mailsText,
  values: (wanted: MailOf, limit: number) => [...valuesOf(wanted), limit],
  result: (rows) => rows.map(({ mailId }) => mailId),
});

const hashed = (messageId: string) => `'erased:' || ${hashOfMessageId(messageId)}`;

/**
 * Removes mails whose files are removed. Hashes of their Message-Ids are kept as long as all deliveries, so that a mail
 * which the mailer repeats is recognized. Returns how many were removed.
 */
export const deleteMails = preparedStatement({
  name: 'webhooks.erasure.mails',
  text: `with gone as (
           delete from webhooks.mails where tenant_id = $1 and mail_id = any ($2::uuid[])
           returning bot_id, message_id, thread_id),
         unread as (delete from webhooks.mail_readings where tenant_id = $1 and mail_id = any ($2::uuid[])),
         unsent as (delete from webhooks.parts where tenant_id = $1 and part_id = any ($2::uuid[])),
         known as (
           insert into webhooks.deliveries (tenant_id, source, bot_id, event_id, delivery_id)
           select distinct $1::uuid, 'email', bot_id, ${hashed('message_id')}, gen_random_uuid() from gone on conflict do nothing)
         select 1 from gone`,
  values: ({ tenantId, mailIds }: { tenantId: string; mailIds: readonly string[] }) => [tenantId, mailIds],
  result: (rows) => rows.length,
});

/** Whether a mail with this Message-Id was stored and erased. */
export const wasErased = preparedStatement({
  name: 'webhooks.erasure.was_erased',
  text: `select from webhooks.deliveries where tenant_id = $1 and source = 'email' and bot_id = $2 and event_id = ${hashed('$3')}`,
  values: ({ tenantId, botId, messageId }: { tenantId: string; botId: string; messageId: string }) => [
    tenantId,
    botId,
    messageId,
  ],
  result: (rows) => rows.length > 0,
});

const lockText = typedSql`select ${columns({ threadId: mailThreads.threadId })} from webhooks.mail_threads
  where tenant_id = $1 and ${ofThem} order by thread_id for update`;

/**
 * Removes the threads of these addresses. In threads that continued since, removes what they store from before. They
 * are locked, so that no mail arrives meanwhile.
 */
export async function deleteThreads(tx: TenantTx, wanted: MailOf): Promise<number> {
  const locked = await tx.query({
    name: 'webhooks.erasure.lock_threads',
    text: lockText,
    values: [wanted.tenantId, wanted.addresses],
  });
  const values = [wanted.tenantId, locked.map(({ threadId }) => threadId), wanted.erasedBefore];
  await tx.query({
    name: 'webhooks.erasure.trim_threads',
    text: `update webhooks.mail_threads t set subject = last.subject, correspondent_name = last.sender_name, "references" = left_over.ids
           from webhooks.mail_threads o
           cross join lateral (select array_agg(m.message_id order by m.position) as ids from webhooks.mails m
             where m.tenant_id = o.tenant_id and m.thread_id = o.thread_id) left_over
           cross join lateral (select m.subject, m.sender_name from webhooks.mails m where m.tenant_id = o.tenant_id
             and m.thread_id = o.thread_id and m.direction = 'in' order by m.position desc limit 1) last
           where t.tenant_id = $1 and t.thread_id = any ($2::uuid[]) and t.created_at <= $3
             and o.tenant_id = t.tenant_id and o.thread_id = t.thread_id`,
    values,
  });
  return await tx.count({
    name: 'webhooks.erasure.delete_threads',
    text: `delete from webhooks.mail_threads t where tenant_id = $1 and thread_id = any ($2::uuid[]) and created_at <= $3
             and not exists (select from webhooks.mails m where m.tenant_id = t.tenant_id and m.thread_id = t.thread_id) returning 1`,
    values,
  });
}

/**
 * Removes the grants that admit an address, the links that were sent to it, and the records of its bounces. Returns how
 * many, by table.
 */
export async function deletePermissions(
  tx: TenantTx,
  wanted: MailOf,
): Promise<Record<'sender_grants' | 'sender_tokens' | 'bounced_addresses', number>> {
  const remove = (table: string, where: string) =>
    tx.count({
      name: `webhooks.erasure.${table}`,
      text: `delete from webhooks.${table} where tenant_id = $1 and ${where} returning 1`,
      values: valuesOf(wanted),
    });
  const removed = await remove(
    'sender_grants',
    `created_at <= $3 and ((kind = 'sender' and value = any ($2::text[])) or (kind = 'thread' and not exists (
       select from webhooks.mail_threads t where t.tenant_id = sender_grants.tenant_id and t.thread_id::text = sender_grants.value)))`,
  );
  const renamed = await tx.count({
    name: 'webhooks.erasure.granted_by',
    // Keeps grants by erased people, without their names.
    text: `update webhooks.sender_grants set granted_by = 'erased:' || grant_id where tenant_id = $1
             and granted_by = any ($2::text[]) and created_at <= $3 returning 1`,
    values: valuesOf(wanted),
  });
  return {
    sender_grants: removed + renamed,
    sender_tokens: await remove(
      'sender_tokens',
      `created_at <= $3 and (address = any ($2::text[]) or not exists (
         select from webhooks.mail_threads t
         where t.tenant_id = sender_tokens.tenant_id and t.thread_id = sender_tokens.thread_id))`,
    ),
    bounced_addresses: await remove('bounced_addresses', 'address = any ($2::text[]) and bounced_at <= $3'),
  };
}
