import type { TenantTx } from '@botyard/shared/db/database';
import { getTableColumns } from '@botyard/shared/db/drizzle';
import { number } from '@botyard/shared/db/expressions';
import { unnest } from '@botyard/shared/db/named-values';
import { columns, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { botPaces } from '../../store/schema.ts';

interface Bot {
  tenantId: string;
  botId: string;
}

const pace = columns({
  botId: botPaces.botId,
  /** How far it is ahead of the current time. */
  aheadMs: number('greatest(0, extract(epoch from (paced_until - now())) * 1000)'),
  /** Until when its slots are reserved, from now. */
  bookedMs: number('greatest(0, extract(epoch from (coalesce(booked_until, now()) - now())) * 1000)'),
});
export type BotPace = Omit<RowOf<typeof pace>, 'botId'>;

const lockText = typedSql`
  select ${pace}
  from webhooks.bot_paces
  where tenant_id = any ($1::uuid[]) and bot_id = any ($2::uuid[])
  order by tenant_id, bot_id
  for update`;

/** Locks the paces of bots, always in the same order. Returns those that have one. */
export async function lockBotPaces(tx: TenantTx, bots: readonly Bot[]): Promise<Map<string, BotPace>> {
  const rows = await tx.query({
    name: 'webhooks.bot_paces.lock',
    text: lockText,
    values: [bots.map(({ tenantId }) => tenantId), bots.map(({ botId }) => botId)],
  });
  return new Map(rows.map(({ botId, ...ofBot }) => [botId, ofBot]));
}

const { tenantId, botId } = getTableColumns(botPaces);
const added = unnest('added', { tenantId, botId, addedMs: 'float8', bookedMs: 'float8' });
const saveText = `
  insert into webhooks.bot_paces as p (tenant_id, bot_id, paced_until, booked_until)
  select tenant_id, bot_id, now() + make_interval(secs => added_ms / 1000), now() + make_interval(secs => booked_ms / 1000)
  from ${added}
  order by tenant_id, bot_id
  on conflict (tenant_id, bot_id) do update set
    paced_until = greatest(p.paced_until, now()) + (excluded.paced_until - now()),
    booked_until = coalesce(excluded.booked_until, p.booked_until)`;

/** Advances the paces of bots by `addedMs`, and reserves their slots until `bookedMs` from now. */
export async function saveBotPaces(
  tx: TenantTx,
  paces: readonly (Bot & { addedMs: number; bookedMs: number | null })[],
): Promise<void> {
  if (paces.length === 0) return;
  await tx.query({ name: 'webhooks.bot_paces.save', text: saveText, values: added.values(paces) });
}
