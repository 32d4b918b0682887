import type { authorizationEdgesRouter } from '@botyard/contracts/http/authorization-edges';
import { pageOf } from '@botyard/contracts/http/page';
import { withTenant } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import type { Handlers } from '@botyard/shared/http/mount';
import type { Deps } from '../deps.ts';
import { createEdge, findEdges, removeEdge } from '../domain/edges.ts';
import { explainAccess } from '../domain/explain.ts';
import { toEdge } from '../domain/references.ts';
import { getEdge } from '../store/edges.ts';

export const authorizationEdgesHandlers: Handlers<typeof authorizationEdgesRouter, Deps> = {
  createEdge: async ({ tenantId, caller, body }, deps) =>
    toEdge(await createEdge(deps, { tenantId, caller }, body)),

  listEdges: async ({ tenantId, query }, deps) =>
    pageOf(await findEdges(deps, tenantId, query), query, toEdge, (row) => row.edge_id),

  checkEdge: ({ tenantId, request, body }, deps) => explainAccess(deps, { tenantId, request }, body),

  getEdge: ({ tenantId, params }, { database }) =>
    withTenant(database, [tenantId], async (tx) =>
      toEdge(found(await getEdge(tx, tenantId, params.edgeId), 'edge')),
    ),

  deleteEdge: ({ tenantId, params }, deps) => removeEdge(deps, { tenantId, edgeId: params.edgeId }),
};
