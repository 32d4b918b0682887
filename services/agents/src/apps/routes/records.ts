import type { appRecordRoutes } from '@botyard/contracts/http/app-records';
import { withMoments } from '@botyard/contracts/http/common';
import type { Router } from '@botyard/contracts/http/contract';
import { pageOf } from '@botyard/contracts/http/page';
import { withTenant } from '@botyard/shared/db/database';
import type { Handlers } from '@botyard/shared/http/mount';
import { tenantItem, tenantRemoval } from '@botyard/shared/http/tenant-item';
import type { Deps } from '../deps.ts';
import { exportRecords } from '../domain/export-records.ts';
import { requireApp } from '../domain/publishing.ts';
import { folded } from '../domain/record-shape.ts';
import { changeRecord, createRecord } from '../domain/records.ts';
import { deleteRecord, getRecord, listRecords } from '../store/records.ts';

/** The part of `/api/admin/apps` that is about records. */
export const appRecordHandlers: Handlers<Router<typeof appRecordRoutes>, Deps> = {
  listAppRecords: ({ tenantId, params: { appId }, query }, { database }) =>
    withTenant(database, [tenantId], async (tx) => {
      const key = { tenantId, appId };
      await requireApp(tx, key);
      const rows = await listRecords(tx, key, searchFor(query));
      return pageOf(rows, query, withMoments, ({ recordId }) => recordId);
    }),

  createAppRecord: async ({ tenantId, params: { appId }, body }, deps) =>
    withMoments(await createRecord(deps, { tenantId, appId }, body)),

  exportAppRecords: ({ tenantId, params: { appId }, query }, deps) =>
    exportRecords(deps, { tenantId, appId }, searchFor(query)),

  getAppRecord: tenantItem('record', getRecord, withMoments),

  updateAppRecord: async ({ tenantId, params: { appId, recordId }, body }, deps) =>
    withMoments(await changeRecord(deps, { tenantId, appId, recordId }, body.fields)),

  deleteAppRecord: tenantRemoval('record', deleteRecord),
};

/** Normalizes a search text in the same way as stored texts. No stored text contains U+0000. */
function searchFor<Query extends { search?: string | undefined; value?: string | undefined }>(
  query: Query,
): Query {
  const { search, value } = query;
  return {
    ...query,
    ...(search === undefined ? {} : { search: kept(folded(search)) }),
    ...(value === undefined ? {} : { value: kept(value) }),
  };
}

const kept = (text: string): string => text.replaceAll('\0', '\uFFFD').toWellFormed();
