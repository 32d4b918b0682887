import type { appsAdminRouter } from '@botyard/contracts/http/apps-admin';
import { pageOf } from '@botyard/contracts/http/page';
import { withTenant } from '@botyard/shared/db/database';
import { tenantPage } from '@botyard/shared/db/tenant-page';
import type { Handlers } from '@botyard/shared/http/mount';
import { tenantItem, tenantRemoval } from '@botyard/shared/http/tenant-item';
import type { Deps } from '../deps.ts';
import { bindApp, listRoster } from '../domain/binding.ts';
import { installApp } from '../domain/install.ts';
import { createApp, describeApp, removeApp, renameApp } from '../domain/managing.ts';
import { requireApp } from '../domain/publishing.ts';
import { requireTemplate, templates, toTemplate } from '../domain/templates/catalogue.ts';
import { deleteBinding, getBinding, listBindings } from '../store/bindings.ts';
import { appRecordHandlers } from './records.ts';
import { showApps, toBinding, toDetail } from './shown.ts';
import { appSpecHandlers } from './specs.ts';

export const appsAdminHandlers: Handlers<typeof appsAdminRouter, Deps> = {
  listAppTemplates: async () => templates.map(toTemplate),
  getAppTemplate: async ({ params: { templateId } }) => toTemplate(requireTemplate(templateId)),
  installApp: async ({ tenantId, body, caller }, deps) =>
    toDetail(await installApp(deps, { tenantId, by: caller.userId }, body)),

  getAppRoster: tenantPage(
    listRoster,
    ({ botId, name, isEnabled, agentIds, bindings }) => ({
      botId,
      name,
      enabled: isEnabled,
      agentIds,
      bindings: bindings.map((binding) => ({ ...toBinding(binding), appName: binding.appName })),
    }),
    ({ botId }) => botId,
  ),

  listManagedApps: ({ tenantId, query }, deps) => showApps(deps, tenantId, query),
  createApp: async ({ tenantId, body }, deps) => toDetail(await createApp(deps, tenantId, body)),

  getManagedApp: async ({ tenantId, params: { appId } }, { database }) =>
    toDetail(await withTenant(database, [tenantId], (tx) => describeApp(tx, { tenantId, appId }))),

  updateApp: async ({ tenantId, params: { appId }, body }, deps) =>
    toDetail(await renameApp(deps, { tenantId, appId }, body)),

  deleteApp: ({ tenantId, params: { appId } }, deps) => removeApp(deps, { tenantId, appId }),

  listAppBindings: ({ tenantId, params: { appId }, query }, { database }) =>
    withTenant(database, [tenantId], async (tx) => {
      const key = { tenantId, appId };
      await requireApp(tx, key);
      return pageOf(await listBindings(tx, key, query), query, toBinding, ({ bindingId }) => bindingId);
    }),

  createAppBinding: async ({ tenantId, params: { appId }, body }, deps) =>
    toBinding(await bindApp(deps, { tenantId, appId }, body)),

  getAppBinding: tenantItem('binding', getBinding, toBinding),
  deleteAppBinding: tenantRemoval('binding', deleteBinding),

  ...appSpecHandlers,
  ...appRecordHandlers,
};
