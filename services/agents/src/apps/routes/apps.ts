import type { appsRouter } from '@botyard/contracts/http/apps';
import { withTenant } from '@botyard/shared/db/database';
import type { Handlers } from '@botyard/shared/http/mount';
import type { Deps } from '../deps.ts';
import { describeApp } from '../domain/managing.ts';
import { showApps, toDetail } from './shown.ts';

export const appsHandlers: Handlers<typeof appsRouter, Deps> = {
  listApps: ({ tenantId, query }, deps) => showApps(deps, tenantId, query),

  getApp: async ({ tenantId, params: { appId } }, { database }) =>
    toDetail(await withTenant(database, [tenantId], (tx) => describeApp(tx, { tenantId, appId }))),
};
