import { keepDocuments } from '@botyard/contracts/events/agents-requests';
import type { StorageLimit } from '@botyard/contracts/events/storage';
import { noBotId } from '@botyard/contracts/events/usage';
import { keepMails } from '@botyard/contracts/events/webhook-requests';
import { pageOf } from '@botyard/contracts/http/page';
import type { UsageLogEntry, usageRouter } from '@botyard/contracts/http/usage';
import { ask } from '@botyard/shared/bus/requests';
import { withTenant } from '@botyard/shared/db/database';
import type { Handlers } from '@botyard/shared/http/mount';
import type { Deps } from '../deps.ts';
import { checkQuota, deleteQuota, initializeQuota, readQuota, resetQuota } from '../domain/quota.ts';
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
  deleteQuota: ({ tenantId }, deps) => deleteQuota(deps, tenantId),
};

const toStored = ({ used, limit }: StorageLimit) => ({ usedBytes: used, limitBytes: limit });

const outsideChats: ReadonlySet<LogEntryRow['outcome']> = new Set(['trial', 'evaluation', 'shadow']);

const toLogEntry = ({ completedAt, conversationId, botId, ...row }: LogEntryRow): UsageLogEntry => ({
  ...row,
  botId: botId === noBotId ? null : botId,
  conversationId: outsideChats.has(row.outcome) ? null : conversationId,
  completedAt: completedAt.toISOString(),
});
