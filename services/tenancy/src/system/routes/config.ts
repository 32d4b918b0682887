import { withMoments } from '@botyard/contracts/http/common';
import type { configRouter } from '@botyard/contracts/http/config';
import { withPlatform } from '@botyard/shared/db/database';
import type { Handlers } from '@botyard/shared/http/mount';
import type { Deps } from '../deps.ts';
import { listConfigs, listProblems } from '../domain/settings.ts';
import { listKeptAdmins } from '../store/tenant-figures.ts';

const maxKeptAdmins = 100;

export const configHandlers: Handlers<typeof configRouter, Deps> = {
  getConfig: async (_input, deps) => ({ services: await listConfigs(deps) }),

  getConfigStatus: async (_input, deps) => {
    const [configs, problems, kept] = await Promise.all([
      listConfigs(deps),
      listProblems(deps),
      withPlatform(deps.database, 'admins who are kept', (tx) => listKeptAdmins(tx, maxKeptAdmins)),
    ]);
    const missing = configs.flatMap(({ serviceName, settings }) =>
      settings.flatMap(({ name: setting, switchesOff }) =>
        switchesOff ? [{ serviceName, setting, switchesOff }] : [],
      ),
    );
    const unanswered = configs
      .filter(({ isAnswering }) => !isAnswering)
      .map(({ serviceName }) => serviceName);
    const isLimited = missing.length > 0 || problems.length > 0;
    const status = unanswered.length > 0 ? 'unknown' : isLimited ? 'limited' : 'complete';
    const longest = kept.admins.map(withMoments);
    return { status, missing, problems, unanswered, adminsKeptAfterLeaving: { count: kept.count, longest } };
  },
};
