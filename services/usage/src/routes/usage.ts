import { ask } from '@botyard/shared/bus/requests';
import type { UsageLogEntry, usageRouter } from '@botyard/shared/contracts/usage';
import { withTenant } from '@botyard/shared/db/database';
import { keepDocuments } from '@botyard/shared/events/agents-requests';
import type { StorageLimit } from '@botyard/shared/events/storage';
import { keepMails } from '@botyard/shared/events/webhook-requests';
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

  getStorage: async ({ tenantId }, { bus }) => {
    const [mails, documents] = await Promise.all([
      ask(bus, keepMails, { tenantId }),
      ask(bus, keepDocuments, { tenantId }),
    ]);
    return { mails: toStored(mails), documents: toStored(documents) };
  },

  checkQuota: ({ tenantId }, deps) => checkQuota(deps, tenantId),
  getQuota: ({ tenantId }, deps) => readQuota(deps, tenantId),
  initializeQuota: ({ tenantId, body }, deps) => initializeQuota(deps, tenantId, body),
  resetQuota: ({ tenantId, body }, deps) => resetQuota(deps, tenantId, body),
};

const toStored = ({ used, limit }: StorageLimit) => ({ usedBytes: used, limitBytes: limit });

const toLogEntry = ({ completedAt, ...row }: LogEntryRow): UsageLogEntry => ({
  ...row,
  completedAt: completedAt.toISOString(),
});
