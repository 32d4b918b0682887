import type { BotState } from '@botyard/contracts/events/tenancy';
import { initialSettings } from '@botyard/contracts/http/bot';
import type { AnyTx, TenantTx } from '@botyard/shared/db/database';
import { and, type Column, eq, getTableColumns, isNull } from '@botyard/shared/db/drizzle';
import { namedRow } from '@botyard/shared/db/named-values';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { rowsOf } from '@botyard/shared/db/rows';
import { bots } from './schema.ts';

export type BotRow = typeof bots.$inferSelect;

const { deletedAt: _, ...columns } = getTableColumns(bots);
const announced = namedRow(columns satisfies Record<keyof BotState, Column>);

/**
 * Saves an announced bot, unless a newer state is stored or its tenant was deleted. Old announcements lack some
 * settings.
 */
export async function saveBot(tx: AnyTx, bot: BotState): Promise<void> {
  await tx.query({
    name: 'agents.bots.put',
    text: `insert into agents.bots as b (${announced.columns})
           select ${announced.values}
           where not exists (select from agents.deleted_tenants where tenant_id = $tenantId)
           on conflict (tenant_id, bot_id) do update set ${announced.excluded}
           where b.revision < excluded.revision`,
    values: announced.valuesOf({ ...initialSettings, ...bot }),
  });
}

/** Leaves a tombstone, so that a late announcement can't bring the bot back. */
export const deleteBot = preparedStatement({
  name: 'agents.bots.delete',
  text: `insert into agents.bots as b (tenant_id, bot_id, name, agent_ids, is_enabled, join_window_ms, revision, deleted_at)
         values ($1, $2, '', '{}', false, 0, 2147483647, now())
         on conflict (tenant_id, bot_id) do update set deleted_at = now(), is_enabled = false, revision = excluded.revision,
           words = '{}'`,
  values: (bot: { tenantId: string; botId: string }) => [bot.tenantId, bot.botId],
});

/** Also returns deleted bots: a tombstone has a `deletedAt`. */
export const getBot = (tx: TenantTx, tenantId: string, botId: string): Promise<BotRow | undefined> =>
  rowsOf(bots, 'tenantId', 'botId').get(tx, { tenantId, botId });

/** Locks the bot's dependent data until the transaction ends. Returns `false` when the bot is unknown or deleted. */
export async function lockLiveBot(tx: TenantTx, tenantId: string, botId: string): Promise<boolean> {
  const rows = await tx.db
    .select({ botId: bots.botId })
    .from(bots)
    .where(and(eq(bots.tenantId, tenantId), eq(bots.botId, botId), isNull(bots.deletedAt)))
    .for('no key update');
  return rows.length > 0;
}
