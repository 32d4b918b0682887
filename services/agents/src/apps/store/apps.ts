import type { PageRequest } from '@botyard/contracts/http/page';
import type { TenantTx } from '@botyard/shared/db/database';
import { and, count, eq, inArray, sql } from '@botyard/shared/db/drizzle';
import { rowsOf } from '@botyard/shared/db/rows';
import { appBindings, apps, appVersions } from '../../store/apps-schema.ts';

export type AppRow = typeof apps.$inferSelect;
type NewApp = typeof apps.$inferInsert;

export interface AppKey {
  tenantId: string;
  appId: string;
}

const stored = rowsOf(apps, 'tenantId', 'appId');
export const getApp = stored.get;

export async function insertApp(tx: TenantTx, app: NewApp): Promise<AppRow> {
  const [row] = await tx.db.insert(apps).values(app).returning();
  return row!;
}

/**
 * The same, locked until the transaction ends against other changes, and against changes to the counts of its contents.
 */
export const lockApp = (tx: TenantTx, key: AppKey) => stored.lock(tx, key, 'no key update');

/** The same, locked against new references. */
export const lockAppToDelete = (tx: TenantTx, key: AppKey) => stored.lock(tx, key, 'update');

/**
 * Keeps the app from being deleted until the transaction ends. Returns `false` when there is none. Doesn't read its
 * draft, which may be long.
 */
export async function holdApp(tx: TenantTx, key: AppKey): Promise<boolean> {
  const rows = await tx.db
    .select({ appId: apps.appId })
    .from(apps)
    .where(stored.matches(key))
    .for('key share');
  return rows.length > 0;
}

/** Newest first, one more than the page's limit. */
export const listApps = (tx: TenantTx, tenantId: string, page: PageRequest) =>
  stored.list(tx, { tenantId }, page);

/** Counts the apps that people made. Those from a migration are bounded by the number of bots. */
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

export const updateApp = (
  tx: TenantTx,
  key: AppKey,
  change: { [Name in 'name' | 'description' | 'currentVersion' | 'lastVersion']?: NewApp[Name] | undefined },
) => stored.update(tx, key, { ...change, updatedAt: sql`now()` });

export const updateDraft = (tx: TenantTx, key: AppKey, draft: string) =>
  stored.update(tx, key, {
    draft,
    draftRevision: sql`${apps.draftRevision} + 1`,
    draftUpdatedAt: sql`now()`,
  });

/** Deletes the app with its versions. Its records have to be deleted before. */
export async function deleteApp(tx: TenantTx, key: AppKey): Promise<void> {
  await tx.db
    .delete(appVersions)
    .where(and(eq(appVersions.tenantId, key.tenantId), eq(appVersions.appId, key.appId)));
  await stored.remove(tx, key);
}
