import type { PageRequest } from '@botyard/contracts/http/page';
import type { TenantTx } from '@botyard/shared/db/database';
import { alias } from '@botyard/shared/db/drizzle';
import { boolean, countOf } from '@botyard/shared/db/expressions';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, pick, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { mailThreads } from '../../../store/mail-schema.ts';

const isBounced = `exists (select from webhooks.bounced_addresses b
  where b.tenant_id = t.tenant_id and b.address = t.correspondent)`;
const held = `from webhooks.mails m
  where m.tenant_id = t.tenant_id and m.thread_id = t.thread_id and m.state = 'held'`;
const isHeld = `exists (select ${held})`;

const t = alias(mailThreads, 't');
const listed = columns({
  ...pick(t, 'threadId', 'botId', 'integrationId', 'conversationId', 'subject', 'correspondent'),
  ...pick(t, 'correspondentName', 'createdAt', 'lastMailAt'),
  isBounced: boolean(isBounced),
  heldCount: countOf(held),
});
/** A thread with the state of its mails and its correspondent. */
export type ListedThread = RowOf<typeof listed>;

const ofState = {
  bounced: isBounced,
  held: `${isHeld} and not ${isBounced}`,
  active: `not ${isHeld} and not ${isBounced}`,
};

interface WantedThreads {
  tenantId: string;
  botId?: string | undefined;
  address?: string | undefined;
  state?: keyof typeof ofState | undefined;
}

/** Newest first. */
export async function listThreads(
  tx: TenantTx,
  { tenantId, botId, address, state }: WantedThreads,
  page: PageRequest,
): Promise<ListedThread[]> {
  const values: unknown[] = [tenantId, page.limit + 1];
  const place = (value: unknown) => `$${values.push(value)}`;
  const conditions = [
    botId && `t.bot_id = ${place(botId)}`,
    address && `t.correspondent = ${place(address)}`,
    page.before && `t.thread_id < ${place(page.before)}`,
    state && ofState[state],
  ].filter((condition) => condition !== undefined);
  return await tx.query({
    name: `webhooks.mail_threads.list ${[botId && 'bot', address && 'address', page.before && 'before', state].join()}`,
    text: typedSql`select ${listed} from webhooks.mail_threads t
           where ${['t.tenant_id = $1', ...conditions].join(' and ')} order by t.thread_id desc limit $2`,
    values,
  });
}

export const findListedThread = preparedStatement({
  name: 'webhooks.mail_threads.listed',
  text: typedSql`select ${listed} from webhooks.mail_threads t where t.tenant_id = $1 and t.thread_id = $2`,
  values: ({ tenantId, threadId }: { tenantId: string; threadId: string }) => [tenantId, threadId],
  result: ([row]) => row,
});

const ofAddress = columns({ threadId: t.threadId, subject: t.subject, lastMailAt: t.lastMailAt });

interface WantedThreadsOf {
  tenantId: string;
  botId: string;
  address: string;
  areAllGranted: boolean;
}

/** Threads of an address with a bot, newest first: all of them, or those with an active grant for the thread. */
export const listThreadsOf = preparedStatement({
  name: 'webhooks.mail_threads.of_address',
  text: typedSql`select ${ofAddress} from webhooks.mail_threads t
         where t.tenant_id = $tenantId and t.bot_id = $botId and t.correspondent = $address
           and ($areAllGranted::boolean or exists (select from webhooks.sender_grants g
             where g.tenant_id = t.tenant_id and g.bot_id = t.bot_id and g.kind = 'thread'
               and g.value = t.thread_id::text and g.revoked_at is null))
           and ($before::uuid is null or t.thread_id < $before)
         order by t.thread_id desc limit $limit`,
  values: ({ tenantId, botId, address, areAllGranted }: WantedThreadsOf, page: PageRequest) => ({
    tenantId,
    botId,
    address,
    areAllGranted,
    before: page.before ?? null,
    limit: page.limit + 1,
  }),
});
