import type { TenantTx } from '@botyard/shared/db/database';
import { number } from '@botyard/shared/db/expressions';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { mailDayCounts } from '../../../store/mail-schema.ts';

interface BotKey {
  tenantId: string;
  /** `null` for a mail that belongs to no bot. */
  botId: string | null;
}

const dayCount = columns({
  botId: mailDayCounts.botId,
  hits: mailDayCounts.hits,
  /** The time in ms until the day of this count ends. */
  leftMs: number('extract(epoch from ends_at - now()) * 1000'),
});
type DayCount = Omit<RowOf<typeof dayCount>, 'botId'>;

const lockText = typedSql`insert into webhooks.mail_day_counts as c (tenant_id, bot_id, hits, ends_at)
  select $1, bot_id, 0, now() + interval '1 day'
  from unnest($2::uuid[]) with ordinality as u (bot_id, place) order by place
  on conflict (tenant_id, bot_id) do update set
    hits = case when c.ends_at <= now() then 0 else c.hits end,
    ends_at = case when c.ends_at <= now() then excluded.ends_at else c.ends_at end
  returning ${dayCount}`;

/** Stands in the bot column for the tenant as a whole. */
const allBots = '00000000-0000-0000-0000-000000000000';
const countsOf = (botId: string | null): string[] => (botId === null ? [allBots] : [allBots, botId]);

/**
 * Locks the counts of the installation's account for a tenant and one of its bots. Their days begin with their first
 * mail. Other counts of the tenant wait until the transaction ends.
 */
export async function lockDayCounts(
  tx: TenantTx,
  { tenantId, botId }: BotKey,
): Promise<{ ofTenant: DayCount; ofBot: DayCount }> {
  const rows = await tx.query({
    name: 'webhooks.mail_day_counts.lock',
    text: lockText,
    values: [tenantId, countsOf(botId)],
  });
  const countOf = (wanted: string): DayCount => rows.find((row) => row.botId === wanted)!;
  return { ofTenant: countOf(allBots), ofBot: countOf(botId ?? allBots) };
}

/** Counts one mail. The caller has locked the counts. */
export const addToDayCounts = preparedStatement({
  name: 'webhooks.mail_day_counts.add',
  text: 'update webhooks.mail_day_counts set hits = hits + 1 where tenant_id = $1 and bot_id = any ($2::uuid[])',
  values: ({ tenantId, botId }: BotKey) => [tenantId, countsOf(botId)],
});
