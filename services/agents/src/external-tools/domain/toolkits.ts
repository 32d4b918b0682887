import { tenantExists } from '@botyard/contracts/events/tenancy';
import type { Toolkit, ToolkitDetail } from '@botyard/contracts/http/integrations';
import type {
  PlatformToolkits,
  PutTenantToolSettingsBody,
  TenantToolSettings,
} from '@botyard/contracts/http/integrations-admin';
import { ask } from '@botyard/shared/bus/requests';
import { withPlatform, withTenant } from '@botyard/shared/db/database';
import { notFound } from '@botyard/shared/http/errors';
import type { ProviderTool, ProviderToolkit } from '../clients/tool-provider.ts';
import type { Deps } from '../deps.ts';
import { listConnections } from '../store/connections.ts';
import {
  getPlatformToolkits,
  getSettings,
  type SettingsRow,
  savePlatformToolkits,
  saveSettings,
} from '../store/settings.ts';
import { hasTag, isRepeatable } from './calls/execute.ts';
import { refuseForProvider } from './connections.ts';
import { whyToolkitIsOff } from './permission.ts';
import { toConnection } from './shown.ts';

/** Toolkits that a tenant may use. @throws HttpError 502, 503. */
export async function listToolkits(
  { database, toolProvider }: Pick<Deps, 'database' | 'toolProvider'>,
  tenantId: string,
  search: string | undefined,
): Promise<Toolkit[]> {
  const toolkits = await toolProvider
    .listToolkits(search)
    .catch((error: unknown) => refuseForProvider(error, 'toolkits'));
  const [platform, settings] = await withTenant(database, [tenantId], async (tx) => [
    await getPlatformToolkits(tx),
    await getSettings(tx, tenantId),
  ]);
  if (settings?.isEnabled === false) return [];
  const isIn = (toolkits: string[] | null | undefined, slug: string) => toolkits?.includes(slug) !== false;
  return toolkits
    .filter(({ slug }) => isIn(platform?.toolkits, slug) && isIn(settings?.toolkits, slug))
    .map(toToolkit);
}

const maxConnectionsShown = 100;

/** @throws HttpError 404, also for a toolkit that the tenant may not use; 502, 503. */
export async function showToolkit(
  { database, toolProvider }: Pick<Deps, 'database' | 'toolProvider'>,
  tenantId: string,
  slug: string,
): Promise<ToolkitDetail> {
  const connections = await withTenant(database, [tenantId], async (tx) => {
    if (await whyToolkitIsOff(tx, tenantId, slug)) throw notFound('toolkit');
    const wanted = { toolkit: slug, status: 'active' as const, limit: maxConnectionsShown };
    return await listConnections(tx, tenantId, wanted);
  });
  const [toolkit, tools] = await Promise.all([
    toolProvider.getToolkit(slug),
    toolProvider.listTools(slug),
  ]).catch((error: unknown) => refuseForProvider(error, 'toolkit'));
  return { ...toToolkit(toolkit), tools: tools.map(toTool), connections: connections.map(toConnection) };
}

const toToolkit = ({ slug, name, no_auth, meta }: ProviderToolkit): Toolkit => ({
  name: slug,
  title: name,
  description: meta?.description ?? '',
  needsConnection: no_auth !== true,
  toolCount: meta?.tools_count ?? 0,
});

const toTool = (tool: ProviderTool): ToolkitDetail['tools'][number] => ({
  tool: tool.slug,
  title: tool.name ?? tool.slug,
  description: tool.description ?? '',
  parameters: tool.input_parameters ?? {},
  onlyReads: hasTag(tool.tags, 'readOnlyHint'),
  isDestructive: hasTag(tool.tags, 'destructiveHint'),
  isRepeatable: isRepeatable(tool),
});

/** Toolkits that the platform allows. */
export async function showPlatformToolkits({ database }: Pick<Deps, 'database'>): Promise<PlatformToolkits> {
  const row = await withPlatform(database, 'toolkits of the platform', getPlatformToolkits);
  return { toolkits: row?.toolkits ?? null, updatedAt: row?.updatedAt.toISOString() ?? null };
}

export async function setPlatformToolkits(
  { database, log }: Pick<Deps, 'database' | 'log'>,
  toolkits: string[] | null,
): Promise<PlatformToolkits> {
  const row = await withPlatform(database, 'toolkits of the platform', (tx) =>
    savePlatformToolkits(tx, toolkits && [...new Set(toolkits)]),
  );
  log.info({ audit: 'toolkits of the platform', toolkits: row.toolkits?.length ?? 'all' }, 'audit');
  return { toolkits: row.toolkits, updatedAt: row.updatedAt.toISOString() };
}

/** @throws HttpError 404. */
export async function requireTenant({ bus }: Pick<Deps, 'bus'>, tenantId: string): Promise<void> {
  const { exists } = await ask(bus, tenantExists, { tenantId });
  if (!exists) throw notFound('tenant');
}

/** An operator's settings for a tenant. @throws HttpError 404. */
export async function showTenantSettings(
  deps: Pick<Deps, 'bus' | 'database'>,
  tenantId: string,
): Promise<TenantToolSettings> {
  await requireTenant(deps, tenantId);
  const row = await withTenant(deps.database, [tenantId], (tx) => getSettings(tx, tenantId));
  return toTenantSettings(tenantId, row);
}

/** Changes the given fields. @throws HttpError 404. */
export async function setTenantSettings(
  deps: Pick<Deps, 'bus' | 'database' | 'log'>,
  tenantId: string,
  { enabled, toolkits }: PutTenantToolSettingsBody,
): Promise<TenantToolSettings> {
  await requireTenant(deps, tenantId);
  const row = await withTenant(deps.database, [tenantId], (tx) =>
    saveSettings(tx, tenantId, {
      ...(enabled === undefined ? {} : { isEnabled: enabled }),
      ...(toolkits === undefined ? {} : { toolkits: toolkits && [...new Set(toolkits)] }),
      toolsUpdatedAt: new Date(),
    }),
  );
  deps.log.info({ audit: 'tools of a tenant', subject: tenantId, enabled: row.isEnabled }, 'audit');
  return toTenantSettings(tenantId, row);
}

const toTenantSettings = (tenantId: string, row: SettingsRow | undefined): TenantToolSettings => ({
  tenantId,
  enabled: row?.isEnabled ?? true,
  toolkits: row?.toolkits ?? null,
  updatedAt: row?.toolsUpdatedAt?.toISOString() ?? null,
});
