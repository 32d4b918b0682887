import type { PageRequest } from '@botyard/contracts/http/page';
import type { AnyTx, TenantTx } from '@botyard/shared/db/database';
import { sql } from '@botyard/shared/db/drizzle';
import { rowsOf, translated } from '@botyard/shared/db/rows';
import { notFound } from '@botyard/shared/http/errors';
import { bots } from '../../store/schema.ts';

export type BotRow = typeof bots.$inferSelect;
type Settings = Omit<BotRow, 'tenantId' | 'botId' | 'revision' | 'createdAt' | 'updatedAt'>;
export type BotKey = Pick<BotRow, 'tenantId' | 'botId'>;
/** `undefined` leaves a setting unchanged. */
type BotChange = { [Name in keyof Settings]?: Settings[Name] | undefined };

const stored = rowsOf(bots, 'tenantId', 'botId');

/** @throws HttpError 404 when the tenant was deleted meanwhile. */
export async function insertBot(
  tx: TenantTx,
  bot: Omit<BotRow, 'revision' | 'createdAt' | 'updatedAt'>,
): Promise<BotRow> {
  const [row] = await translated(tx.db.insert(bots).values(bot).returning(), {
    bots_tenant_id_tenants_tenant_id_fk: (cause) => notFound('tenant', { cause }),
  });
  return row!;
}

export const getBot = (tx: AnyTx, tenantId: string, botId: string) => stored.get(tx, { tenantId, botId });

/**
 * Locks a bot until the transaction ends: against deletion (`key share`), or also against new references (`update`).
 */
export const lockBot = (tx: TenantTx, bot: BotKey, strength: 'key share' | 'update') =>
  stored.lock(tx, bot, strength);

/**
 * Bots of the transaction's tenants, newest first, one more than the page's limit. The tenants are passed as one value:
 * an admin may have a thousand of them.
 */
export const listBots = (tx: TenantTx, page: PageRequest) =>
  stored.list(tx, {}, page, sql`${bots.tenantId} = any (${sql.param([...tx.tenantIds])}::uuid[])`);

export async function updateBot(tx: TenantTx, bot: BotKey, change: BotChange): Promise<BotRow | undefined> {
  const [row] = await tx.db
    .update(bots)
    .set({ ...change, revision: sql`${bots.revision} + 1`, updatedAt: sql`now()` })
    .where(stored.matches(bot))
    .returning();
  return row;
}

export const deleteBot = stored.remove;
