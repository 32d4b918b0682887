import type { UsageLogEntry, usageRouter } from '@botyard/shared/contracts/usage';
import { withTenant } from '@botyard/shared/db/database';
import type { Handlers } from '@botyard/shared/http/mount';
import { pageOf } from '@botyard/shared/http/page';
import type { Deps } from '../deps.ts';
import { checkQuota, initializeQuota, readQuota, resetQuota } from '../domain/quota.ts';
import { readUsage } from '../domain/read-usage.ts';
import { type LogEntryRow, listLogEntries } from '../store/log-entries.ts';

export const usageHandlers: Handlers<typeof usageRouter, Deps> = {
  getUsage: ({ tenantId, query }, deps) => readUsage(deps, tenantId, query),

  listUsageLogs: async ({ tenantId, query }, { database }) => {
    const rows = await withTenant(database, [tenantId], (tx) => listLogEntries(tx, tenantId, query));
    return pageOf(rows, query, toLogEntry, ({ turnId }) => turnId);
  },

  checkQuota: ({ tenantId }, deps) => checkQuota(deps, tenantId),
  getQuota: ({ tenantId }, deps) => readQuota(deps, tenantId),
  initializeQuota: ({ tenantId, body }, deps) => initializeQuota(deps, tenantId, body),
  resetQuota: ({ tenantId, body }, deps) => resetQuota(deps, tenantId, body),
};

const toLogEntry = ({ completedAt, ...row }: LogEntryRow): UsageLogEntry => ({
  ...row,
  completedAt: completedAt.toISOString(),
});
