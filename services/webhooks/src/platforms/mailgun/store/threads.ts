import type { TenantTx } from '@botyard/shared/db/database';
import { alias, and, eq, inArray } from '@botyard/shared/db/drizzle';
import { boolean } from '@botyard/shared/db/expressions';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { rowsOf } from '@botyard/shared/db/rows';
import { columns, pick, typedSql } from '@botyard/shared/db/typed-sql';
import { mailThreads } from '../../../store/mail-schema.ts';

export type ThreadRow = typeof mailThreads.$inferSelect;

/** The most Message-Ids that are stored per thread: the first one and the newest ones. */
const maxReferences = 50;

const stored = rowsOf(mailThreads, 'tenantId', 'threadId');
export const getThread = stored.get;

/** As `getThread`, locked until the transaction ends. */
export const lockThread = (tx: TenantTx, thread: Pick<ThreadRow, 'tenantId' | 'threadId'>) =>
  stored.lock(tx, thread, 'no key update');

/** Locks the existing ones among these threads, always in the same order. */
export async function lockThreads(
  tx: TenantTx,
  tenantId: string,
  threadIds: readonly string[],
): Promise<Map<string, ThreadRow>> {
  if (threadIds.length === 0) return new Map();
  const rows = await tx.db
    .select()
    .from(mailThreads)
    .where(and(eq(mailThreads.tenantId, tenantId), inArray(mailThreads.threadId, [...threadIds])))
    .orderBy(mailThreads.threadId)
    .for('no key update');
  return new Map(rows.map((row) => [row.threadId, row]));
}

const findText = typedSql`select ${columns({ threadId: alias(mailThreads, 't').threadId })} from (
    select m.thread_id, u.place from unnest($4::text[]) with ordinality as u (message_id, place)
    join webhooks.mails m on m.tenant_id = $1 and m.bot_id = $2 and m.message_id = u.message_id
    union all
    select p.thread_id, 1000000 + u.place from unnest($5::text[]) with ordinality as u (plus_token, place)
    join webhooks.mail_threads p on p.plus_token = u.plus_token
  ) found
  join webhooks.mail_threads t on t.tenant_id = $1 and t.thread_id = found.thread_id
  where t.bot_id = $2 and t.correspondent = $3
  order by found.place limit 1`;

/**
 * The thread that a mail continues: only one of this bot and this correspondent. So another person's Message-Id or
 * plus-address finds nothing. Earlier Message-Ids in the list take precedence.
 */
export const findThread = preparedStatement({
  name: 'webhooks.mail_threads.find',
  text: findText,
  values: (wanted: {
    tenantId: string;
    botId: string;
    correspondent: string;
    messageIds: readonly string[];
    plusTokens: readonly string[];
  }) => {
    const { tenantId, botId, correspondent, messageIds, plusTokens } = wanted;
    return [tenantId, botId, correspondent, messageIds, plusTokens];
  },
  result: ([row]) => row?.threadId,
});

const t = alias(mailThreads, 't');
const recent = columns({
  ...pick(t, 'threadId', 'subject', 'threadIndex'),
  /** The bot, or staff, has written in it. */
  isAnswered: boolean(`exists (select 1 from webhooks.mails m
    where m.tenant_id = t.tenant_id and m.thread_id = t.thread_id and m.direction = 'out')`),
});
const recentText = typedSql`select ${recent} from webhooks.mail_threads t
  where t.tenant_id = $1 and t.bot_id = $2 and t.correspondent = $3 and t.last_mail_at > now() - interval '30 days'
  order by t.thread_id desc limit 20`;

/** The newest threads of a correspondent in which something was written within the last month. */
export const listRecentThreads = preparedStatement({
  name: 'webhooks.mail_threads.recent',
  text: recentText,
  values: ({ tenantId, botId, correspondent }: Pick<ThreadRow, 'tenantId' | 'botId' | 'correspondent'>) => [
    tenantId,
    botId,
    correspondent,
  ],
});

/** Correspondents of those threads that exist. */
export const listCorrespondents = preparedStatement({
  name: 'webhooks.mail_threads.correspondents',
  text: typedSql`select ${columns({ threadId: t.threadId, correspondent: t.correspondent })} from unnest($1::uuid[], $2::uuid[]) as u (tenant_id, thread_id)
         join webhooks.mail_threads t on t.tenant_id = u.tenant_id and t.thread_id = u.thread_id`,
  values: (threads: readonly { tenantId: string; threadId: string }[]) => [
    threads.map(({ tenantId }) => tenantId),
    threads.map(({ threadId }) => threadId),
  ],
  result: (rows) => new Map(rows.map((row) => [row.threadId, row.correspondent])),
});

export async function insertThread(tx: TenantTx, thread: typeof mailThreads.$inferInsert): Promise<void> {
  await tx.db.insert(mailThreads).values(thread);
}

/** Updates the thread of a received mail. */
export async function touchThread(
  tx: TenantTx,
  thread: Pick<ThreadRow, 'tenantId' | 'threadId' | 'references'>,
  change: Pick<ThreadRow, 'subject' | 'correspondentName' | 'integrationId' | 'threadIndex'> & {
    messageIds: readonly string[];
  },
): Promise<void> {
  const { messageIds, ...changed } = change;
  const references = capped([...new Set([...thread.references, ...messageIds])]);
  await stored.update(tx, thread, { ...changed, references, lastMailAt: new Date() });
}

/** Keeps the first one, which begins the thread in every mail program, and the newest of the others. */
function capped(ids: readonly string[]): string[] {
  return ids.length <= maxReferences ? [...ids] : [ids[0]!, ...ids.slice(1 - maxReferences)];
}
