import type { TenantTx } from '@botyard/shared/db/database';
import { alias } from '@botyard/shared/db/drizzle';
import { countOf, like, notNull, number } from '@botyard/shared/db/expressions';
import { lockOrMiss } from '@botyard/shared/db/lock-named';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, pick, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { mails } from '../../../store/mail-schema.ts';
import type { MailRow } from './mail-list.ts';

type NewInboundMail = Pick<
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
  | 'isAutomatic'
  | 'admittedAt'
> & { state: 'held' | 'admitted' | 'ignored' };

/** Whether a mail with this Message-Id was stored within 24 hours. */
export const isKnownSinceYesterday = preparedStatement({
  name: 'webhooks.mails.since_yesterday',
  text: `select from webhooks.mails
         where tenant_id = $1 and bot_id = $2 and message_id = $3 and created_at > now() - interval '1 day'`,
  values: ({ tenantId, botId, messageId }: Pick<MailRow, 'tenantId' | 'botId' | 'messageId'>) => [
    tenantId,
    botId,
    messageId,
  ],
  result: (rows) => rows.length > 0,
});

const sentTextsText = typedSql`select ${columns({ text: like(mails.text, 'left(text, 20000)') })} from webhooks.mails
  where tenant_id = $1 and thread_id = $2 and direction = 'out' order by position desc limit 20`;

/** The beginnings of the newest mails that were sent in a thread. */
export const listSentTexts = preparedStatement({
  name: 'webhooks.mails.sent_texts',
  text: sentTextsText,
  values: ({ tenantId, threadId }: Pick<MailRow, 'tenantId' | 'threadId'>) => [tenantId, threadId],
  result: (rows) => rows.map(({ text }) => text),
});

/** Locks a Message-Id: if the same mail arrives twice concurrently, the second waits for the first. */
export const lockMessageId = (
  tx: TenantTx,
  { botId, messageId }: Pick<MailRow, 'botId' | 'messageId'>,
): Promise<void> =>
  lockOrMiss(tx, `mail ${botId}/${messageId}`, {
    name: 'webhooks.mails.lock_message_id',
    locks: 'pg_advisory_xact_lock(hashtextextended($1, 61))',
    values: [`${botId}/${messageId}`],
  });

const byMessageIdText = typedSql`select ${columns({ direction: mails.direction })} from webhooks.mails
  where tenant_id = $1 and bot_id = $2 and message_id = $3`;

/** The direction of the stored mail with a Message-Id: received or sent. */
export const findMailByMessageId = preparedStatement({
  name: 'webhooks.mails.by_message_id',
  text: byMessageIdText,
  values: ({ tenantId, botId, messageId }: Pick<MailRow, 'tenantId' | 'botId' | 'messageId'>) => [
    tenantId,
    botId,
    messageId,
  ],
  result: ([row]) => row?.direction,
});

const answered = columns(pick(mails, 'messageId', 'recipient', 'threadId'));
const answeredText = typedSql`select ${answered} from unnest($3::text[]) with ordinality as u (id, place)
  join webhooks.mails on tenant_id = $1 and bot_id = $2 and message_id = u.id and direction = 'out'
  order by place limit 1`;

/** The first of these Message-Ids that belongs to a sent mail, with the recipient of that mail. */
export async function findAnsweredMail(
  tx: TenantTx,
  { tenantId, botId, messageIds }: { tenantId: string; botId: string; messageIds: readonly string[] },
): Promise<RowOf<typeof answered> | undefined> {
  return await tx.first({
    name: 'webhooks.mails.answered_by',
    text: answeredText,
    values: [tenantId, botId, messageIds],
  });
}

export async function insertInboundMail(tx: TenantTx, mail: NewInboundMail): Promise<void> {
  await tx.db.insert(mails).values({ ...mail, direction: 'in' });
}

/** The most ignored mails that are stored per day: in a thread, and of a bot. */
const maxIgnoredOfThread = 100;
const maxIgnoredOfBot = 1000;

const isOfToday = "state = 'ignored' and created_at > now() - interval '1 day'";
const ignoredCounts = columns({
  ofThread: countOf(`from webhooks.mails where tenant_id = $1 and thread_id = $3 and ${isOfToday}`),
  ofBot: countOf(`from (select 1 from webhooks.mails where tenant_id = $1 and bot_id = $2 and ${isOfToday}
    limit ${maxIgnoredOfBot}) ignored`),
});
const ignoredText = typedSql`select ${ignoredCounts}`;

/** Whether another ignored mail may be stored today, so that a flood can't fill the disk. */
export async function hasRoomForIgnored(
  tx: TenantTx,
  { tenantId, botId, threadId }: Pick<MailRow, 'tenantId' | 'botId' | 'threadId'>,
): Promise<boolean> {
  const { ofThread, ofBot } = await tx.one({
    name: 'webhooks.mails.count_ignored',
    text: ignoredText,
    values: [tenantId, botId, threadId],
  });
  return ofThread < maxIgnoredOfThread && ofBot < maxIgnoredOfBot;
}

const isLately = "direction = 'in' and state = 'admitted' and created_at > now() - interval '1 hour'";
const mailCounts = columns({
  /** Counts mails that were admitted within the last hour. */
  ofThread: countOf(`from webhooks.mails where tenant_id = $1 and thread_id = $3 and ${isLately}`),
  ofSender: countOf(
    `from webhooks.mails where tenant_id = $1 and bot_id = $2 and sender = $4 and ${isLately}`,
  ),
  /** Counts mails that are held now. */
  heldOfSender: countOf(
    `from webhooks.mails where tenant_id = $1 and bot_id = $2 and sender = $4 and state = 'held'`,
  ),
  heldOfBot: countOf(`from webhooks.mails where tenant_id = $1 and bot_id = $2 and state = 'held'`),
  heldBytesOfBot: number(`(select coalesce(sum(a.size_bytes), 0) from webhooks.mails m
    join webhooks.mail_attachments a on a.tenant_id = m.tenant_id and a.mail_id = m.mail_id
    where m.tenant_id = $1 and m.bot_id = $2 and m.state = 'held')`),
});
export type MailCounts = RowOf<typeof mailCounts>;

const countsText = typedSql`select ${mailCounts}`;

/** Current counts, for the limits that end loops and bound floods. */
export async function countMails(
  tx: TenantTx,
  { tenantId, botId, threadId, sender }: Pick<MailRow, 'tenantId' | 'botId' | 'threadId' | 'sender'>,
): Promise<MailCounts> {
  return await tx.one({
    name: 'webhooks.mails.counts',
    text: countsText,
    values: [tenantId, botId, threadId, sender],
  });
}

/** Selects held mails: those of a thread, of an address or of a domain, or a single one. */
export type HeldMails = { tenantId: string; botId: string } & (
  | { threadId: string }
  | { sender: string }
  | { domain: string }
  | { mailId: string }
);

/** Only an admin admits mail whose sender proof failed, one by one; a grant never does. */
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

const m = alias(mails, 'm');
const heldThread = columns({ threadId: m.threadId });

/** The threads that have such held mails. */
export async function listThreadsWithHeld(tx: TenantTx, held: HeldMails): Promise<string[]> {
  const [name, value] = conditionOf(held);
  const rows = await tx.query({
    name: `webhooks.mails.held_threads.${name}`,
    text: typedSql`select distinct ${heldThread} from webhooks.mails m
           where m.tenant_id = $1 and m.bot_id = $2 and m.state = 'held' and ${conditions[name]}`,
    values: [held.tenantId, held.botId, value],
  });
  return rows.map(({ threadId }) => threadId);
}

const admitted = columns({
  ...pick(m, 'mailId', 'threadId', 'messageId', 'sender', 'senderName', 'senderProof', 'language'),
  ...pick(m, 'subject', 'text', 'createdAt'),
  admittedAt: notNull(m.admittedAt),
});
type AdmittedMail = RowOf<typeof admitted>;

/** Admits held mails, oldest first, each in a millisecond of its own. The caller has locked their threads. */
export async function admitHeldMails(tx: TenantTx, held: HeldMails): Promise<AdmittedMail[]> {
  const [name, value] = conditionOf(held);
  const rows = await tx.query({
    name: `webhooks.mails.admit_held.${name}`,
    text: typedSql`update webhooks.mails m set state = 'admitted', reason = null,
             admitted_at = now() + held.place * interval '1 millisecond'
           from (select m.mail_id, row_number() over (order by m.mail_id) as place from webhooks.mails m
             where m.tenant_id = $1 and m.bot_id = $2 and m.state = 'held' and ${conditions[name]}) held
           where m.tenant_id = $1 and m.mail_id = held.mail_id and m.state = 'held'
           returning ${admitted}`,
    values: [held.tenantId, held.botId, value],
  });
  return rows.sort((left, right) => (left.mailId < right.mailId ? -1 : 1));
}
