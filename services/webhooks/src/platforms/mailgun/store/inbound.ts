import type { TenantTx } from '@botyard/shared/db/database';
import { mails } from '../../../store/mail-schema.ts';

export type MailRow = typeof mails.$inferSelect;
export type NewInboundMail = Pick<
  MailRow,
  | 'tenantId'
  | 'mailId'
  | 'threadId'
  | 'botId'
  | 'messageId'
  | 'inReplyTo'
  | 'sender'
  | 'senderName'
  | 'senderProof'
  | 'recipient'
  | 'language'
  | 'subject'
  | 'text'
  | 'originalText'
  | 'html'
  | 'reason'
> & { state: 'held' | 'admitted' | 'ignored' };

/** The same mail may arrive twice at once: the one waits for the other. */
export async function lockMessageId(
  tx: TenantTx,
  { botId, messageId }: Pick<MailRow, 'botId' | 'messageId'>,
): Promise<void> {
  await tx.query({
    name: 'webhooks.mails.lock_message_id',
    text: 'select pg_advisory_xact_lock(hashtextextended($1, 61))',
    values: [`${botId}/${messageId}`],
  });
}

/** Whose mail with a Message-Id is known: one that came in, or one of ours. */
export async function findMailByMessageId(
  tx: TenantTx,
  { tenantId, botId, messageId }: Pick<MailRow, 'tenantId' | 'botId' | 'messageId'>,
): Promise<MailRow['direction'] | undefined> {
  const [row] = await tx.query<{ direction: MailRow['direction'] }>({
    name: 'webhooks.mails.by_message_id',
    text: 'select direction from webhooks.mails where tenant_id = $1 and bot_id = $2 and message_id = $3',
    values: [tenantId, botId, messageId],
  });
  return row?.direction;
}

/** The first of these Message-Ids that one of our mails has, with whom that mail went to. */
export async function findAnsweredMail(
  tx: TenantTx,
  { tenantId, botId, messageIds }: { tenantId: string; botId: string; messageIds: readonly string[] },
): Promise<{ messageId: string; recipient: string } | undefined> {
  const [row] = await tx.query<{ messageId: string; recipient: string }>({
    name: 'webhooks.mails.answered_by',
    text: `select message_id as "messageId", recipient from unnest($3::text[]) with ordinality as u (id, place)
           join webhooks.mails on tenant_id = $1 and bot_id = $2 and message_id = u.id and direction = 'out'
           order by place limit 1`,
    values: [tenantId, botId, messageIds],
  });
  return row;
}

export async function insertInboundMail(tx: TenantTx, mail: NewInboundMail): Promise<void> {
  await tx.db.insert(mails).values({ ...mail, direction: 'in' });
}

/** Of mail that nobody answers, so many a day are kept in a thread. */
const maxIgnoredOfDay = 100;

export async function insertIgnoredMail(tx: TenantTx, mail: NewInboundMail): Promise<void> {
  const [row] = await tx.query<{ count: number }>({
    name: 'webhooks.mails.count_ignored',
    text: `select count(*)::int as count from webhooks.mails where tenant_id = $1 and thread_id = $2
             and state = 'ignored' and created_at > now() - interval '1 day'`,
    values: [mail.tenantId, mail.threadId],
  });
  if ((row?.count ?? 0) < maxIgnoredOfDay) await insertInboundMail(tx, mail);
}

export interface MailCounts {
  /** Admitted within the last hour. */
  ofThread: number;
  ofSender: number;
  /** That wait now. */
  heldOfSender: number;
  heldOfBot: number;
  heldBytesOfBot: number;
}

/** What there is already: for the caps that end a loop and bound a flood. */
export async function countMails(
  tx: TenantTx,
  { tenantId, botId, threadId, sender }: Pick<MailRow, 'tenantId' | 'botId' | 'threadId' | 'sender'>,
): Promise<MailCounts> {
  const [row] = await tx.query<MailCounts & Record<string, unknown>>({
    name: 'webhooks.mails.counts',
    text: `select
        (select count(*) from webhooks.mails where tenant_id = $1 and thread_id = $3 and direction = 'in'
           and state = 'admitted' and created_at > now() - interval '1 hour')::int as "ofThread",
        (select count(*) from webhooks.mails where tenant_id = $1 and bot_id = $2 and sender = $4 and direction = 'in'
           and state = 'admitted' and created_at > now() - interval '1 hour')::int as "ofSender",
        (select count(*) from webhooks.mails where tenant_id = $1 and bot_id = $2 and sender = $4
           and state = 'held')::int as "heldOfSender",
        (select count(*) from webhooks.mails where tenant_id = $1 and bot_id = $2 and state = 'held')::int as "heldOfBot",
        (select coalesce(sum(a.size_bytes), 0) from webhooks.mails m
           join webhooks.mail_attachments a on a.tenant_id = m.tenant_id and a.mail_id = m.mail_id
           where m.tenant_id = $1 and m.bot_id = $2 and m.state = 'held')::float8 as "heldBytesOfBot"`,
    values: [tenantId, botId, threadId, sender],
  });
  return row!;
}

/** Which mails are meant: of a thread, of an address, of everybody of a domain, or one. */
export type HeldMails = { tenantId: string; botId: string } & (
  | { threadId: string }
  | { sender: string }
  | { domain: string }
  | { mailId: string }
);

/** What a grant admits: a mail whose sender the mailer could not prove waits for an admin, who admits it by itself. */
const isNotForged = "m.sender_proof <> 'failed'";
const conditions = {
  threadId: `m.thread_id = $3::uuid and ${isNotForged}`,
  sender: `m.sender = $3 and ${isNotForged}`,
  domain: `split_part(m.sender, '@', -1) = $3 and ${isNotForged}`,
  mailId: 'm.mail_id = $3::uuid',
} as const;

function conditionOf(held: HeldMails): [keyof typeof conditions, string] {
  if ('threadId' in held) return ['threadId', held.threadId];
  if ('sender' in held) return ['sender', held.sender.toLowerCase()];
  return 'domain' in held ? ['domain', held.domain.toLowerCase()] : ['mailId', held.mailId];
}

/** The threads in which such mails wait. */
export async function listThreadsWithHeld(tx: TenantTx, held: HeldMails): Promise<string[]> {
  const [name, value] = conditionOf(held);
  const rows = await tx.query<{ thread_id: string }>({
    name: `webhooks.mails.held_threads.${name}`,
    text: `select distinct m.thread_id from webhooks.mails m
           where m.tenant_id = $1 and m.bot_id = $2 and m.state = 'held' and ${conditions[name]}`,
    values: [held.tenantId, held.botId, value],
  });
  return rows.map((row) => row.thread_id);
}

export type AdmittedMail = Pick<
  MailRow,
  | 'mailId'
  | 'threadId'
  | 'messageId'
  | 'sender'
  | 'senderName'
  | 'senderProof'
  | 'language'
  | 'subject'
  | 'text'
  | 'createdAt'
>;

/** Ends the waiting of mails, the oldest first. Their threads are locked. */
export async function admitHeldMails(tx: TenantTx, held: HeldMails): Promise<AdmittedMail[]> {
  const [name, value] = conditionOf(held);
  const rows = await tx.query<AdmittedMail & Record<string, unknown>>({
    name: `webhooks.mails.admit_held.${name}`,
    text: `update webhooks.mails m set state = 'admitted', reason = null
           where m.tenant_id = $1 and m.bot_id = $2 and m.state = 'held' and ${conditions[name]}
           returning m.mail_id as "mailId", m.thread_id as "threadId", m.message_id as "messageId", m.sender,
             m.sender_name as "senderName", m.sender_proof as "senderProof", m.language, m.subject, m.text, m.created_at as "createdAt"`,
    values: [held.tenantId, held.botId, value],
  });
  return rows.sort((left, right) => (left.mailId < right.mailId ? -1 : 1));
}
