import type { archivalRouter } from '@botyard/contracts/http/archival';
import { withMoments } from '@botyard/contracts/http/common';
import { pageOf } from '@botyard/contracts/http/page';
import { withTenant } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import { tenantPage } from '@botyard/shared/db/tenant-page';
import type { Handlers } from '@botyard/shared/http/mount';
import { tenantItem } from '@botyard/shared/http/tenant-item';
import { requireBotEver } from '../../conversations/domain/known-bot.ts';
import type { Deps } from '../deps.ts';
import { cancel, changeConfig, readConfig, startJob, toJob } from '../domain/jobs.ts';
import { searchArchive } from '../domain/search.ts';
import { getJob, listJobs } from '../store/jobs.ts';
import { getChatInArchive, listChatsInArchive, sumArchive, sumArchiveByBot } from '../store/tree.ts';

const maxBots = 500;

export const archivalHandlers: Handlers<typeof archivalRouter, Deps> = {
  getArchiveConfig: ({ tenantId }, deps) => readConfig(deps, tenantId),

  updateArchiveConfig: ({ tenantId, body }, deps) => changeConfig(deps, tenantId, body),

  startArchive: ({ tenantId, caller, body }, deps) =>
    startJob(deps, { tenantId, userId: caller.userId }, 'archive', body),

  startTrim: ({ tenantId, caller, body }, deps) =>
    startJob(deps, { tenantId, userId: caller.userId }, 'trim', body),

  startCheck: ({ tenantId, caller }, deps) => startJob(deps, { tenantId, userId: caller.userId }, 'check'),

  listArchiveJobs: tenantPage(listJobs, toJob, ({ job }) => job.jobId),

  getArchiveJob: tenantItem('job', getJob, toJob),

  cancelArchiveJob: ({ tenantId, params: { jobId } }, deps) => cancel(deps, { tenantId, jobId }),

  getArchiveTree: ({ tenantId }, { database }) =>
    withTenant(database, [tenantId], async (tx) => {
      const bots = await sumArchiveByBot(tx, tenantId, maxBots);
      return { ...withMoments(await sumArchive(tx, tenantId)), bots: bots.map(withMoments) };
    }),

  listArchivedChats: async ({ tenantId, params: { botId }, query }, deps) => {
    await requireBotEver(deps, tenantId, botId);
    return await withTenant(deps.database, [tenantId], async (tx) => {
      const rows = await listChatsInArchive(tx, { tenantId, botId }, query);
      return pageOf(rows, query, withMoments, ({ chatId }) => chatId);
    });
  },

  getArchivedChat: ({ tenantId, params: { chatId } }, { database }) =>
    withTenant(database, [tenantId], async (tx) =>
      withMoments(found(await getChatInArchive(tx, tenantId, chatId), 'chat')),
    ),

  searchArchive: ({ tenantId, query }, deps) => searchArchive(deps, tenantId, query),
};
