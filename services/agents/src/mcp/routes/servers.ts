import type { toolServersRouter } from '@botyard/contracts/http/integrations-servers';
import { withTenant } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import type { Handlers } from '@botyard/shared/http/mount';
import { tenantItem } from '@botyard/shared/http/tenant-item';
import type { Deps } from '../deps.ts';
import { beginSignIn } from '../domain/begin-sign-in.ts';
import { disconnectPerson, listLinkedPeople } from '../domain/own-accounts.ts';
import { refreshServer } from '../domain/refresh.ts';
import { addServer, changeServer, deleteServer } from '../domain/servers.ts';
import { toServer, toServerPerson } from '../domain/shown.ts';
import { decideTool, toServerTool } from '../domain/tool-state.ts';
import { listServerTools } from '../store/server-tools.ts';
import { getServer, listServers } from '../store/servers.ts';

export const toolServersHandlers: Omit<Handlers<typeof toolServersRouter, Deps>, 'tryServerTool'> = {
  createToolServer: async ({ tenantId, caller: { userId }, body }, deps) =>
    toServer(await addServer(deps, { tenantId, userId }, body)),

  listToolServers: ({ tenantId }, { database }) =>
    withTenant(database, [tenantId], async (tx) => (await listServers(tx, tenantId)).map(toServer)),

  getToolServer: tenantItem('server', getServer, toServer),

  updateToolServer: async ({ tenantId, params: { serverId }, body }, deps) =>
    toServer(await changeServer(deps, { tenantId, serverId }, body)),

  refreshToolServer: async ({ tenantId, params: { serverId } }, deps) =>
    toServer(await refreshServer(deps, { tenantId, serverId })),

  authorizeToolServer: ({ tenantId, caller, params: { serverId }, exchange }, deps) =>
    beginSignIn(deps, exchange, { tenantId, serverId, caller }),

  listToolServerPeople: async ({ tenantId, params: { serverId } }, deps) =>
    (await listLinkedPeople(deps, { tenantId, serverId })).map(toServerPerson),

  disconnectToolServerPerson: ({ tenantId, params: { serverId, personId } }, deps) =>
    disconnectPerson(deps, { tenantId, serverId, personId }),

  listServerTools: ({ tenantId, params: { serverId } }, { database }) =>
    withTenant(database, [tenantId], async (tx) => {
      found(await getServer(tx, { tenantId, serverId }), 'server');
      return (await listServerTools(tx, { tenantId, serverId })).map(toServerTool);
    }),

  putServerTool: async ({ tenantId, caller: { userId }, params: { serverId, name }, body }, deps) =>
    toServerTool(await decideTool(deps, { tenantId, serverId, name }, { userId, decision: body })),

  deleteToolServer: ({ tenantId, params: { serverId } }, deps) => deleteServer(deps, { tenantId, serverId }),
};
