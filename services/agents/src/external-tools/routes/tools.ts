import type { toolServersRouter } from '@botyard/contracts/http/integrations-servers';
import type { toolsRouter } from '@botyard/contracts/http/tools';
import type { Handlers } from '@botyard/shared/http/mount';
import type { Deps } from '../deps.ts';
import { tryServerTool } from '../domain/calls/try-server-tool.ts';
import { connectToolkit, verifyConnection } from '../domain/connections.ts';
import { toConnection } from '../domain/shown.ts';

export const toolsHandlers: Handlers<typeof toolsRouter, Deps> = {
  connectToolkit: async ({ tenantId, caller: { userId }, body }, deps) => {
    const { expiresAt, ...begun } = await connectToolkit(deps, { tenantId, userId }, body);
    return { ...begun, expiresAt: expiresAt.toISOString() };
  },

  verifyConnection: async ({ tenantId, caller: { userId }, body }, deps) =>
    toConnection(await verifyConnection(deps, { tenantId, userId }, body)),
};

export const serverTrialHandlers: Pick<Handlers<typeof toolServersRouter, Deps>, 'tryServerTool'> = {
  tryServerTool: ({ tenantId, params: { serverId, name }, body }, deps) =>
    tryServerTool(deps, { tenantId, serverId, name }, body),
};
