import type { PageRequest } from '@botyard/contracts/http/page';
import type { PlatformTx, TenantTx } from '@botyard/shared/db/database';
import { and, desc, eq, lt, sql } from '@botyard/shared/db/drizzle';
import { isForeignKeyViolation } from '@botyard/shared/db/failures';
import { notFound } from '@botyard/shared/http/errors';
import { bots } from '../../store/schema.ts';

export type BotRow = typeof bots.$inferSelect;
type Settings = Omit<BotRow, 'tenantId' | 'botId' | 'revision' | 'createdAt' | 'updatedAt'>;
/** `undefined` leaves a setting as it is. */
export type BotChange = { [Name in keyof Settings]?: Settings[Name] | undefined };

/** @throws HttpError 404 when the tenant was deleted meanwhile. */
export async function insertBot(
  tx: TenantTx,
  bot: Omit<BotRow, 'revision' | 'createdAt' | 'updatedAt'>,
): Promise<BotRow> {
  try {
    const [row] = await tx.db.insert(bots).values(bot).returning();
    return row!;
  } catch (error) {
    if (!isForeignKeyViolation(error, 'bots_tenant_id_tenants_tenant_id_fk')) throw error;
    throw notFound('tenant', { cause: error });
  }
}

export async function getBot(
  tx: TenantTx | PlatformTx,
  tenantId: string,
  botId: string,
): Promise<BotRow | undefined> {
  const [row] = await tx.db
    .select()
    .from(bots)
    .where(and(eq(bots.tenantId, tenantId), eq(bots.botId, botId)));
  return row;
}

/** Locks a bot until the transaction ends: against deletion (`key share`), or also against new references (`update`). */
export async function lockBot(
  tx: TenantTx,
  bot: { tenantId: string; botId: string },
  strength: 'key share' | 'update',
): Promise<BotRow | undefined> {
  const [row] = await tx.db
    .select()
    .from(bots)
    .where(and(eq(bots.tenantId, bot.tenantId), eq(bots.botId, bot.botId)))
    .for(strength);
  return row;
}

/** Bots of the transaction's tenants, newest first, one more than the page's limit. */
export async function listBots(tx: TenantTx, page: PageRequest): Promise<BotRow[]> {
  return await selectBots(tx, page);
}

/** The tenants go as one value: an admin may have a thousand of them. */
export const selectBots = (tx: TenantTx, page: PageRequest) =>
  tx.db
    .select()
    .from(bots)
    .where(
      and(
        sql`${bots.tenantId} = any (${sql.param([...tx.tenantIds])}::uuid[])`,
        page.before ? lt(bots.botId, page.before) : undefined,
      ),
    )
    .orderBy(desc(bots.botId))
    .limit(page.limit + 1);

export async function updateBot(
  tx: TenantTx,
  tenantId: string,
  botId: string,
  change: BotChange,
): Promise<BotRow | undefined> {
  const [row] = await tx.db
    .update(bots)
    .set({ ...change, revision: sql`${bots.revision} + 1`, updatedAt: sql`now()` })
    .where(and(eq(bots.tenantId, tenantId), eq(bots.botId, botId)))
    .returning();
  return row;
}

export async function deleteBot(tx: TenantTx, tenantId: string, botId: string): Promise<void> {
  await tx.db.delete(bots).where(and(eq(bots.tenantId, tenantId), eq(bots.botId, botId)));
}
