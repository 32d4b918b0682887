import type { AppDraft, appSpecRoutes } from '@botyard/contracts/http/app-spec-routes';
import type { Router } from '@botyard/contracts/http/contract';
import { pageOf } from '@botyard/contracts/http/page';
import { withTenant } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import type { Handlers } from '@botyard/shared/http/mount';
import type { Deps } from '../deps.ts';
import { publishDraft, requireApp, rollBack, saveDraft, validateDraft } from '../domain/publishing.ts';
import type { AppRow } from '../store/apps.ts';
import { getVersion, listVersions } from '../store/versions.ts';
import { toVersion, toVersionSummary } from './shown.ts';

/** The part of `/api/admin/apps` that is about specs. */
export const appSpecHandlers: Handlers<Router<typeof appSpecRoutes>, Deps> = {
  getAppDraft: async ({ tenantId, params: { appId } }, { database }) =>
    toDraft(await withTenant(database, [tenantId], (tx) => requireApp(tx, { tenantId, appId }))),

  updateAppDraft: async ({ tenantId, params: { appId }, body }, deps) =>
    toDraft(await saveDraft(deps, { tenantId, appId }, body)),

  validateAppDraft: ({ tenantId, params: { appId } }, deps) => validateDraft(deps, { tenantId, appId }),

  publishApp: async ({ tenantId, params: { appId }, body }, deps) => {
    const row = await publishDraft(deps, { tenantId, appId }, body.revision);
    return toVersion(row, row.version);
  },

  listAppVersions: ({ tenantId, params: { appId }, query }, { database }) =>
    withTenant(database, [tenantId], async (tx) => {
      const key = { tenantId, appId };
      const { currentVersion } = await requireApp(tx, key);
      return pageOf(
        await listVersions(tx, key, query),
        query,
        (row) => toVersionSummary(row, currentVersion),
        ({ version }) => String(version),
      );
    }),

  getAppVersion: ({ tenantId, params: { appId, version } }, { database }) =>
    withTenant(database, [tenantId], async (tx) => {
      const { currentVersion } = await requireApp(tx, { tenantId, appId });
      const row = await getVersion(tx, { tenantId, appId, version: Number(version) });
      return toVersion(found(row, 'version'), currentVersion);
    }),

  rollbackApp: async ({ tenantId, params: { appId }, body }, deps) => {
    const row = await rollBack(deps, { tenantId, appId }, body.version);
    return toVersion(row, row.version);
  },
};

const toDraft = ({ appId, draft, draftRevision, draftUpdatedAt }: AppRow): AppDraft => ({
  appId,
  spec: JSON.parse(draft),
  revision: draftRevision,
  updatedAt: draftUpdatedAt.toISOString(),
});
