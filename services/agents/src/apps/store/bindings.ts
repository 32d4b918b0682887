import type { PageRequest } from '@botyard/contracts/http/page';
import type { TenantTx } from '@botyard/shared/db/database';
import { and, desc, eq, inArray, isNull, lt } from '@botyard/shared/db/drizzle';
import { isUniqueViolation } from '@botyard/shared/db/failures';
import { conflict } from '@botyard/shared/http/errors';
import { appBindings, apps } from '../../store/apps-schema.ts';
import type { BotRow } from '../../store/bots.ts';
import { bots } from '../../store/schema.ts';
import type { AppKey } from './apps.ts';

export type BindingRow = typeof appBindings.$inferSelect;
export type NewBinding = Omit<BindingRow, 'createdAt'>;

export type BindingKey = AppKey & { bindingId: string };

const matches = ({ tenantId, appId, bindingId }: BindingKey) =>
  and(eq(appBindings.tenantId, tenantId), eq(appBindings.appId, appId), eq(appBindings.bindingId, bindingId));

/** @throws HttpError 409 when the app is bound there already. */
export async function insertBinding(tx: TenantTx, binding: NewBinding): Promise<BindingRow> {
  try {
    const [row] = await tx.db.insert(appBindings).values(binding).returning();
    return row!;
  } catch (error) {
    if (!isUniqueViolation(error, 'app_bindings_once')) throw error;
    throw conflict('the app is bound to this place already: delete that binding first', {
      code: 'already_exists',
      cause: error,
    });
  }
}

export async function getBinding(tx: TenantTx, key: BindingKey): Promise<BindingRow | undefined> {
  const [row] = await tx.db.select().from(appBindings).where(matches(key));
  return row;
}

/** Newest first, one more than the page's limit. */
export async function listBindings(
  tx: TenantTx,
  { tenantId, appId }: AppKey,
  { before, limit }: PageRequest,
): Promise<BindingRow[]> {
  return await tx.db
    .select()
    .from(appBindings)
    .where(
      and(
        eq(appBindings.tenantId, tenantId),
        eq(appBindings.appId, appId),
        before ? lt(appBindings.bindingId, before) : undefined,
      ),
    )
    .orderBy(desc(appBindings.bindingId))
    .limit(limit + 1);
}

export const countBindingsOfBot = (tx: TenantTx, tenantId: string, botId: string): Promise<number> =>
  tx.db.$count(appBindings, and(eq(appBindings.tenantId, tenantId), eq(appBindings.botId, botId)));

/** `false` when there was none. */
export async function deleteBinding(tx: TenantTx, key: BindingKey): Promise<boolean> {
  const rows = await tx.db.delete(appBindings).where(matches(key)).returning({ appId: appBindings.appId });
  return rows.length > 0;
}

export async function deleteBindingsOfBot(
  tx: TenantTx,
  { tenantId, botId }: { tenantId: string; botId: string },
): Promise<void> {
  await tx.db
    .delete(appBindings)
    .where(and(eq(appBindings.tenantId, tenantId), eq(appBindings.botId, botId)));
}

/** Bots that an app is bound to, 50 at most. */
export async function listBoundBots(
  tx: TenantTx,
  { tenantId, appId }: AppKey,
): Promise<{ botId: string; name: string }[]> {
  const bound = tx.db
    .select({ botId: appBindings.botId })
    .from(appBindings)
    .where(and(eq(appBindings.tenantId, tenantId), eq(appBindings.appId, appId)));
  return await tx.db
    .select({ botId: bots.botId, name: bots.name })
    .from(bots)
    .where(and(eq(bots.tenantId, tenantId), inArray(bots.botId, bound)))
    .limit(50);
}

/** Bots that live, the newest first, one more than the page's limit. */
export async function listBots(
  tx: TenantTx,
  tenantId: string,
  { before, limit }: PageRequest,
): Promise<BotRow[]> {
  return await tx.db
    .select()
    .from(bots)
    .where(
      and(eq(bots.tenantId, tenantId), isNull(bots.deletedAt), before ? lt(bots.botId, before) : undefined),
    )
    .orderBy(desc(bots.botId))
    .limit(limit + 1);
}

export async function listBindingsOfBots(
  tx: TenantTx,
  tenantId: string,
  botIds: readonly string[],
): Promise<(BindingRow & { appName: string })[]> {
  if (botIds.length === 0) return [];
  const rows = await tx.db
    .select({ binding: appBindings, appName: apps.name })
    .from(appBindings)
    .innerJoin(apps, and(eq(apps.tenantId, appBindings.tenantId), eq(apps.appId, appBindings.appId)))
    .where(and(eq(appBindings.tenantId, tenantId), inArray(appBindings.botId, [...botIds])));
  return rows.map(({ binding, appName }) => ({ ...binding, appName }));
}
