import type { TenantTx } from '@botyard/shared/db/database';
import { alias } from '@botyard/shared/db/drizzle';
import { count, like, text } from '@botyard/shared/db/expressions';
import { unnest } from '@botyard/shared/db/named-values';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, pick, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { mails, mailThreads } from '../../../store/mail-schema.ts';
import { endpoints } from '../../../store/schema.ts';
import type { MailRow } from './mail-list.ts';

const t = alias(mailThreads, 't');
const mailThread = columns({
  ...pick(t, 'threadId', 'botId', 'integrationId', 'conversationId', 'plusToken', 'subject'),
  ...pick(t, 'correspondent', 'references'),
  /** Address of the bot's mailbox; `null` if it no longer has one. */
  address: like(
    endpoints.address,
    `(select e.address from webhooks.endpoints e
      where e.tenant_id = t.tenant_id and e.integration_id = t.integration_id and e.deleted_at is null)`,
  ),
});
/** The data of a thread that its next mail needs. */
export type MailThread = RowOf<typeof mailThread>;

const lockText = typedSql`select ${mailThread} from webhooks.mail_threads t
  where t.tenant_id = $1 and t.thread_id = any ($2::uuid[]) order by t.thread_id for no key update of t`;

/** Locks existing threads by id. A thread is locked before its mails are queued or settled, always in this order. */
export const lockMailThreads = preparedStatement({
  name: 'webhooks.mail_threads.lock',
  text: lockText,
  values: (tenantId: string, threadIds: readonly string[]) => [tenantId, threadIds],
  result: (rows) => new Map(rows.map((row) => [row.threadId, row])),
});

/** An outgoing mail before it is sent. `failed` ones are stored to be visible in their thread. */
export type NewMail = Pick<
  MailRow,
  'tenantId' | 'mailId' | 'threadId' | 'botId' | 'messageId' | 'inReplyTo'
> &
  Pick<
    MailRow,
    'sender' | 'recipient' | 'subject' | 'text' | 'language' | 'reason' | 'replyId' | 'replySeq'
  > &
  Pick<MailRow, 'isByStaff'> & { html: string; state: 'queued' | 'failed' };

const added = unnest('added', {
  ...pick(mails, 'tenantId', 'mailId', 'threadId', 'botId', 'messageId', 'inReplyTo', 'sender', 'recipient'),
  ...pick(
    mails,
    'subject',
    'text',
    'html',
    'state',
    'reason',
    'replyId',
    'replySeq',
    'isByStaff',
    'language',
  ),
});

/** Appends mails to their threads' queues, in this order. A Message-Id that is already stored is not inserted again. */
export const insertOutgoingMails = preparedStatement({
  name: 'webhooks.mails.queue',
  text: `insert into webhooks.mails (${added.columns}, direction, sender_name)
         select ${added.columns}, 'out', ''
         from ${added.numbered}
         order by ordinality
         on conflict (tenant_id, bot_id, message_id) do nothing`,
  values: (outgoing: readonly NewMail[]) => added.values(outgoing),
});

const answeredText = typedSql`select ${columns({ messageId: mails.messageId })} from webhooks.mails
  where tenant_id = $1 and thread_id = $2 and direction = 'in'
    and (state = 'admitted' or is_automatic and admitted_at = $3::timestamptz)
  order by coalesce(admitted_at = $3::timestamptz, false) desc,
    created_at <= coalesce($3::timestamptz, now()) + interval '5 seconds' desc, position desc limit 1`;

/**
 * The Message-Id of the mail that a reply answers: the one that became a message at the time of `askedAt`. A reply
 * may name no such time, or that of no mail: then the newest one that was stored by then. That time may be from another
 * clock, so a few seconds are tolerated.
 */
export const getAnsweredMessageId = preparedStatement({
  name: 'webhooks.mails.answered',
  text: answeredText,
  values: ({ tenantId, threadId, askedAt }: { tenantId: string; threadId: string; askedAt: Date | null }) => [
    tenantId,
    threadId,
    askedAt,
  ],
  result: ([row]) => row?.messageId ?? null,
});

const countBy = (key: string, type: string) =>
  typedSql`select ${columns({ key: text(key), count: count() })} from webhooks.mails
    where tenant_id = $1 and direction = 'out' and state <> 'failed' and created_at > now() - interval '1 hour'
      and ${key} = any ($2::${type}[]) group by ${key}`;
const countByThreadText = countBy('thread_id', 'uuid');
const countByRecipientText = countBy('recipient', 'text');

/** How many mails were queued within the last hour, by thread and by recipient, without those that were given up. */
export async function countRecentMails(
  tx: TenantTx,
  asked: { tenantId: string; threadIds: readonly string[]; recipients: readonly string[] },
): Promise<{ ofThread: Map<string, number>; ofRecipient: Map<string, number> }> {
  const { tenantId, threadIds, recipients } = asked;
  const [ofThread, ofRecipient] = await Promise.all([
    tx.query({
      name: 'webhooks.mails.count_by_thread',
      text: countByThreadText,
      values: [tenantId, threadIds],
    }),
    tx.query({
      name: 'webhooks.mails.count_by_recipient',
      text: countByRecipientText,
      values: [tenantId, recipients],
    }),
  ]);
  const toMap = (rows: typeof ofThread) => new Map(rows.map((row) => [row.key, row.count]));
  return { ofThread: toMap(ofThread), ofRecipient: toMap(ofRecipient) };
}
