import type { PageRequest } from '@botyard/contracts/http/page';
import type { TenantTx } from '@botyard/shared/db/database';
import { and, count, desc, eq, inArray, lt, sql } from '@botyard/shared/db/drizzle';
import { appBindings, apps, appVersions } from '../../store/apps-schema.ts';

export type AppRow = typeof apps.$inferSelect;
type NewApp = typeof apps.$inferInsert;

export interface AppKey {
  tenantId: string;
  appId: string;
}

const matches = ({ tenantId, appId }: AppKey) => and(eq(apps.tenantId, tenantId), eq(apps.appId, appId));

export async function insertApp(tx: TenantTx, app: NewApp): Promise<AppRow> {
  const [row] = await tx.db.insert(apps).values(app).returning();
  return row!;
}

export async function getApp(tx: TenantTx, key: AppKey): Promise<AppRow | undefined> {
  const [row] = await tx.db.select().from(apps).where(matches(key));
  return row;
}

/** The same, locked against other changes, and counts of its contents, until the transaction ends. */
export async function lockApp(tx: TenantTx, key: AppKey): Promise<AppRow | undefined> {
  const [row] = await tx.db.select().from(apps).where(matches(key)).for('no key update');
  return row;
}

/** The same, locked against new references. */
export async function lockAppToDelete(tx: TenantTx, key: AppKey): Promise<AppRow | undefined> {
  const [row] = await tx.db.select().from(apps).where(matches(key)).for('update');
  return row;
}

/** It can't be deleted until the transaction ends. `false` when there is none. */
export async function holdApp(tx: TenantTx, key: AppKey): Promise<boolean> {
  const rows = await tx.db.select({ appId: apps.appId }).from(apps).where(matches(key)).for('key share');
  return rows.length > 0;
}

/** Newest first, one more than the page's limit. */
export async function listApps(
  tx: TenantTx,
  tenantId: string,
  { before, limit }: PageRequest,
): Promise<AppRow[]> {
  return await tx.db
    .select()
    .from(apps)
    .where(and(eq(apps.tenantId, tenantId), before ? lt(apps.appId, before) : undefined))
    .orderBy(desc(apps.appId))
    .limit(limit + 1);
}

/** Apps made by people: those from a migration are bounded by the bots. */
export const countApps = (tx: TenantTx, tenantId: string): Promise<number> =>
  tx.db.$count(
    apps,
    and(
      eq(apps.tenantId, tenantId),
      sql`not exists (select from ${appVersions} v
    where v.tenant_id = ${apps.tenantId} and v.app_id = ${apps.appId} and v.origin = 'migration')`,
    ),
  );

export async function countBindingsOf(
  tx: TenantTx,
  tenantId: string,
  appIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (appIds.length === 0) return new Map();
  const rows = await tx.db
    .select({ appId: appBindings.appId, found: count() })
    .from(appBindings)
    .where(and(eq(appBindings.tenantId, tenantId), inArray(appBindings.appId, [...appIds])))
    .groupBy(appBindings.appId);
  return new Map(rows.map(({ appId, found }) => [appId, found]));
}

export async function updateApp(
  tx: TenantTx,
  key: AppKey,
  change: Partial<Pick<NewApp, 'name' | 'description' | 'currentVersion' | 'lastVersion'>>,
): Promise<AppRow | undefined> {
  const changed = tx.db.update(apps).set({ ...change, updatedAt: sql`now()` });
  const [row] = await changed.where(matches(key)).returning();
  return row;
}

export async function updateDraft(tx: TenantTx, key: AppKey, draft: string): Promise<AppRow | undefined> {
  const changed = tx.db
    .update(apps)
    .set({ draft, draftRevision: sql`${apps.draftRevision} + 1`, draftUpdatedAt: sql`now()` });
  const [row] = await changed.where(matches(key)).returning();
  return row;
}

/** The app with its versions; records go before. */
export async function deleteApp(tx: TenantTx, key: AppKey): Promise<void> {
  await tx.db
    .delete(appVersions)
    .where(and(eq(appVersions.tenantId, key.tenantId), eq(appVersions.appId, key.appId)));
  await tx.db.delete(apps).where(matches(key));
}
