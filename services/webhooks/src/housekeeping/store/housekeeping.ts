import type { PlatformTx } from '@botyard/shared/db/database';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import { replies } from '../../store/schema.ts';

const batchSize = 5000;

/** Removes a batch of rows that are no longer needed. Returns how many were removed. */
type Prune = (tx: PlatformTx) => Promise<number>;

/** The rows of each table that are no longer needed. */
const oldRows = {
  // A day longer than any delivery is repeated.
  deliveries: "received_at < now() - interval '8 days'",
  // The identity provider repeats an event for 28 hours; its deliveries are kept like all others.
  identity_deliveries: "received_at < now() - interval '8 days'",
  // Parts that belong to no reply, once their outcome is known.
  parts: "reply_id is null and state in ('sent', 'failed') and not is_unannounced",
  // Clients' minutes that have ended. The next request of a client begins a new one.
  rate_windows: "ends_at < now() - interval '1 minute'",
  // The press of a button is not repeated after an hour.
  callbacks: "created_at < now() - interval '1 hour'",
  // Signatures of the mailer. They are rejected for their age long before that.
  mail_tokens: "created_at < now() - interval '24 hours'",
  // Days that have ended. The next mail begins a new one.
  mail_day_counts: "ends_at < now() - interval '1 minute'",
  // They were not allowed in time.
  installations: 'expires_at < now()',
  // Windows catch up with the last 30 days.
  webchat_messages: "created_at < now() - interval '30 days'",
  webchat_sessions: 'expires_at < now()',
  // A visitor who has not been here for longer has no session any more.
  webchat_visitors: "last_seen_at < now() - interval '31 days'",
  // Links. A used one is shown for longer, so each has its own expiry.
  sender_tokens: "expires_at < now() - interval '1 day'",
  // Processes that ended long ago.
  sender_processes: "beat_at < now() - interval '1 day'",
  // Windows that have ended. The next link to an address begins a new one.
  link_counts: "ends_at < now() - interval '1 minute'",
  // Revoked grants: the log keeps their history.
  sender_grants: "revoked_at < now() - interval '90 days'",
};

export const pruneRows =
  (table: keyof typeof oldRows): Prune =>
  (tx) =>
    tx.count({
      name: `webhooks.${table}.prune`,
      text: `delete from webhooks.${table} where ctid in
               (select ctid from webhooks.${table} where ${oldRows[table]} limit ${batchSize}) returning 1`,
      values: [],
    });

/**
 * Mails whose sender wasn't admitted within 30 days, with their files, and threads that contain nothing but the link.
 */
export const pruneHeldMails: Prune = (tx) =>
  tx.count({
    name: 'webhooks.mails.prune_held',
    text: `with gone as (
             delete from webhooks.mails where ctid in (select ctid from webhooks.mails
               where state = 'held' and created_at < now() - interval '30 days' limit ${batchSize})
             returning tenant_id, mail_id, thread_id
           ), files as (
             update webhooks.mail_attachments a set remove_at = now() from gone
             where a.tenant_id = gone.tenant_id and a.mail_id = gone.mail_id
           ), threads as (
             delete from webhooks.mail_threads t using (select distinct tenant_id, thread_id from gone) g
             where t.tenant_id = g.tenant_id and t.thread_id = g.thread_id and t.last_mail_at < now() - interval '30 days'
               and not exists (select from webhooks.mails m where m.tenant_id = t.tenant_id and m.thread_id = t.thread_id
                 and (m.direction = 'in' or m.reply_id is not null)
                 and not exists (select from gone where gone.tenant_id = m.tenant_id and gone.mail_id = m.mail_id))
             returning t.tenant_id, t.thread_id
           ), links as (
             delete from webhooks.mails m using threads
             where m.tenant_id = threads.tenant_id and m.thread_id = threads.thread_id and m.direction = 'out'
           )
           select 1 from gone`,
    values: [],
  });

/** Texts of replies that were sent or given up 8 days ago. The agents service stores the conversation. */
export const pruneSettled: Prune = async (tx) => {
  const rows = await tx.query({
    name: 'webhooks.replies.prune',
    text: typedSql`delete from webhooks.replies where ctid in (select ctid from webhooks.replies
             where state in ('sent', 'failed') and created_at < now() - interval '8 days' limit ${batchSize})
           returning ${columns({ replyId: replies.replyId })}`,
    values: [],
  });
  await tx.query({
    name: 'webhooks.replies.prune_parts',
    text: 'delete from webhooks.parts where reply_id = any ($1::uuid[])',
    values: [rows.map(({ replyId }) => replyId)],
  });
  return rows.length;
};

export const prunes: readonly Prune[] = [
  ...Object.keys(oldRows).map((table) => pruneRows(table as keyof typeof oldRows)),
  pruneHeldMails,
  pruneSettled,
];

/** Removes the originals of mails older than this many days; the text stays. Pending mails keep theirs. */
export const expireOriginals =
  (days: number): Prune =>
  (tx) =>
    tx.count({
      name: 'webhooks.mails.expire_originals',
      text: `update webhooks.mails set original_text = null, html = null where ctid = any (array(
               select ctid from webhooks.mails where (original_text is not null or html is not null)
                 and created_at < now() - make_interval(days => $1) and state not in ('held', 'queued', 'sending')
               order by created_at limit 500 for update skip locked)) returning 1`,
      values: [days],
    });
