import type { TenantTx } from '@botyard/shared/db/database';
import { and, desc, eq, lt, lte } from '@botyard/shared/db/drizzle';
import { rowsOf } from '@botyard/shared/db/rows';
import { appVersions } from '../../store/apps-schema.ts';
import type { AppKey } from './apps.ts';

export type VersionRow = typeof appVersions.$inferSelect;

const maxKept = 100;

const ofApp = ({ tenantId, appId }: AppKey) =>
  and(eq(appVersions.tenantId, tenantId), eq(appVersions.appId, appId));

/** Also deletes the oldest versions beyond the limit. */
export async function insertVersion(
  tx: TenantTx,
  version: typeof appVersions.$inferInsert,
): Promise<VersionRow> {
  const [row] = await tx.db.insert(appVersions).values(version).returning();
  await tx.db
    .delete(appVersions)
    .where(and(ofApp(version), lte(appVersions.version, version.version - maxKept)));
  return row!;
}

export const getVersion = rowsOf(appVersions, 'tenantId', 'appId', 'version').get;

/** Newest first, one more than the page's limit; `before` is a version number. */
export async function listVersions(
  tx: TenantTx,
  key: AppKey,
  { before, limit }: { before?: string | undefined; limit: number },
): Promise<Omit<VersionRow, 'spec' | 'agentIds' | 'capabilityIds'>[]> {
  const { tenantId, appId, version, origin, rolledBackTo, publishedAt } = appVersions;
  return await tx.db
    .select({ tenantId, appId, version, origin, rolledBackTo, publishedAt })
    .from(appVersions)
    .where(and(ofApp(key), before ? lt(version, Math.min(Number(before), 2 ** 31 - 1)) : undefined))
    .orderBy(desc(version))
    .limit(limit + 1);
}
