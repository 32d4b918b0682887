import type { AppVersion } from '@botyard/contracts/http/app-spec-routes';
import type { App, AppBinding, AppDetail } from '@botyard/contracts/http/apps';
import { withMoments } from '@botyard/contracts/http/common';
import { type Page, type PageRequest, pageOf } from '@botyard/contracts/http/page';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import type { Deps } from '../deps.ts';
import type { DescribedApp } from '../domain/managing.ts';
import { type AppRow, countBindingsOf, listApps } from '../store/apps.ts';
import type { BindingRow } from '../store/bindings.ts';
import type { VersionRow } from '../store/versions.ts';

const toApp = (app: AppRow, bindingCount: number): App => withMoments({ ...app, bindingCount });

export async function showApps(
  { database }: Pick<Deps, 'database'>,
  tenantId: string,
  page: PageRequest,
): Promise<Page<App>> {
  return await withTenant(database, [tenantId], async (tx: TenantTx) => {
    const rows = await listApps(tx, tenantId, page);
    const counts = await countBindingsOf(
      tx,
      tenantId,
      rows.map(({ appId }) => appId),
    );
    return pageOf(
      rows,
      page,
      (row) => toApp(row, counts.get(row.appId) ?? 0),
      ({ appId }) => appId,
    );
  });
}

export const toDetail = ({ app, bindings, spec }: DescribedApp): AppDetail => ({
  ...toApp(app, bindings.length),
  bindings: bindings.map(toBinding),
  spec,
});

export const toBinding = (row: BindingRow): AppBinding => ({
  ...withMoments(row),
  where: {
    ...(row.platform ? { platform: row.platform } : {}),
    ...(row.kind ? { kind: row.kind } : {}),
    ...(row.chatId ? { chatId: row.chatId } : {}),
    ...(row.groupId ? { groupId: row.groupId } : {}),
    ...(row.threadId ? { threadId: row.threadId } : {}),
  },
});

type VersionFields = Omit<VersionRow, 'spec' | 'agentIds' | 'capabilityIds'>;

export const toVersionSummary = <Row extends VersionFields>(row: Row, currentVersion: number | null) =>
  withMoments({ ...row, isCurrent: row.version === currentVersion });

export const toVersion = (row: VersionRow, currentVersion: number | null): AppVersion =>
  toVersionSummary(row, currentVersion);
