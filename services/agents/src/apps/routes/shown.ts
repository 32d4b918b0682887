import type { AppRecord } from '@botyard/contracts/http/app-records';
import type { AppVersion } from '@botyard/contracts/http/app-spec-routes';
import type { App, AppBinding, AppDetail } from '@botyard/contracts/http/apps';
import { type Page, type PageRequest, pageOf } from '@botyard/contracts/http/page';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import type { Deps } from '../../deps.ts';
import type { DescribedApp } from '../domain/managing.ts';
import { type AppRow, countBindingsOf, listApps } from '../store/apps.ts';
import type { BindingRow } from '../store/bindings.ts';
import type { RecordRow } from '../store/records.ts';
import type { VersionRow } from '../store/versions.ts';

const toApp = (app: AppRow, bindingCount: number): App => ({
  appId: app.appId,
  name: app.name,
  description: app.description,
  templateId: app.templateId,
  currentVersion: app.currentVersion,
  bindingCount,
  createdAt: app.createdAt.toISOString(),
  updatedAt: app.updatedAt.toISOString(),
});

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
  bindingId: row.bindingId,
  appId: row.appId,
  botId: row.botId,
  where: {
    ...(row.platform ? { platform: row.platform } : {}),
    ...(row.kind ? { kind: row.kind } : {}),
    ...(row.chatId ? { chatId: row.chatId } : {}),
    ...(row.groupId ? { groupId: row.groupId } : {}),
    ...(row.threadId ? { threadId: row.threadId } : {}),
  },
  priority: row.priority,
  createdAt: row.createdAt.toISOString(),
});

type VersionFields = Omit<VersionRow, 'spec' | 'agentIds' | 'capabilityIds'>;

export const toVersionSummary = (row: VersionFields, currentVersion: number | null) => ({
  appId: row.appId,
  version: row.version,
  origin: row.origin,
  rolledBackTo: row.rolledBackTo,
  isCurrent: row.version === currentVersion,
  publishedAt: row.publishedAt.toISOString(),
});

export const toVersion = (row: VersionRow, currentVersion: number | null): AppVersion => ({
  ...toVersionSummary(row, currentVersion),
  spec: row.spec,
});

export const toRecord = ({ createdAt, updatedAt, ...row }: RecordRow): AppRecord => ({
  ...row,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
});
