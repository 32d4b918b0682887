import type { toolServersRouter } from '@botyard/contracts/http/integrations-servers';
import type { Handlers } from '@botyard/shared/http/mount';
import type { Deps } from '../deps.ts';
import { tryServerTool } from '../domain/calls/try-server-tool.ts';

export const serverTrialHandlers: Pick<Handlers<typeof toolServersRouter, Deps>, 'tryServerTool'> = {
  tryServerTool: ({ tenantId, params: { serverId, name }, body }, deps) =>
    tryServerTool(deps, { tenantId, serverId, name }, body),
};
