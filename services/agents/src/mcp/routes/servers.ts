import type { toolServersRouter } from '@botyard/contracts/http/integrations-servers';
import { withTenant } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import type { Handlers } from '@botyard/shared/http/mount';
import type { Deps } from '../deps.ts';
import { addServer, changeServer, deleteServer } from '../domain/servers.ts';
import { toServer } from '../domain/shown.ts';
import { getServer, listServers } from '../store/servers.ts';

export const toolServersHandlers: Handlers<typeof toolServersRouter, Deps> = {
  createToolServer: async ({ tenantId, caller: { userId }, body }, deps) =>
    toServer(await addServer(deps, { tenantId, userId }, body)),

  listToolServers: ({ tenantId }, { database }) =>
    withTenant(database, [tenantId], async (tx) => (await listServers(tx, tenantId)).map(toServer)),

  getToolServer: ({ tenantId, params: { serverId } }, { database }) =>
    withTenant(database, [tenantId], async (tx) =>
      toServer(found(await getServer(tx, { tenantId, serverId }), 'server')),
    ),

  updateToolServer: async ({ tenantId, params: { serverId }, body }, deps) =>
    toServer(await changeServer(deps, { tenantId, serverId }, body)),

  deleteToolServer: ({ tenantId, params: { serverId } }, deps) => deleteServer(deps, { tenantId, serverId }),
};
