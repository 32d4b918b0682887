import type { configRouter } from '@botyard/shared/contracts/config';
import type { Handlers } from '@botyard/shared/http/mount';
import type { Deps } from '../../deps.ts';
import { listConfigs } from '../../domain/system/settings.ts';

export const configHandlers: Handlers<typeof configRouter, Deps> = {
  getConfig: async (_input, deps) => ({ services: await listConfigs(deps) }),

  getConfigStatus: async (_input, deps) => {
    const configs = await listConfigs(deps);
    const missing = configs.flatMap(({ serviceName, settings }) =>
      settings.flatMap(({ name: setting, switchesOff }) =>
        switchesOff ? [{ serviceName, setting, switchesOff }] : [],
      ),
    );
    const unanswered = configs
      .filter(({ isAnswering }) => !isAnswering)
      .map(({ serviceName }) => serviceName);
    const status = unanswered.length > 0 ? 'unknown' : missing.length > 0 ? 'limited' : 'complete';
    return { status, missing, unanswered };
  },
};
