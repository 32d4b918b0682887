import type { Router } from '@botyard/contracts/http/contract';
import type { agentDefinitionRoutes } from '@botyard/contracts/http/definitions-agents';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import type { Handlers } from '@botyard/shared/http/mount';
import type { Deps } from '../deps.ts';
import { copyDefinition } from '../domain/copying.ts';
import {
  createDefinition,
  deleteDefinition,
  requireDefinition,
  updateDefinition,
} from '../domain/definitions.ts';
import { publish, unpublish } from '../domain/publishing.ts';
import { type DefinitionKey, type DefinitionRows, listDefinitionsInOrder } from '../store/definitions.ts';
import { withPublications } from '../store/publications.ts';
import { showOne, showPage, toDefinition, type Wire } from './shown.ts';

/** The part of `/api/definitions` that is about agents. */
export const agentDefinitionHandlers: Handlers<Router<typeof agentDefinitionRoutes>, Deps> = {
  listAgentDefinitions: (input, deps) => showPage(deps, 'agent', input),

  createAgentDefinition: async ({ tenantId, body, caller }, deps) =>
    toDefinition(await createDefinition(deps, 'agent', { tenantId, fields: body, by: caller.userId })),

  getAgentDefinition: ({ tenantId, params: { id } }, deps) => showOne(deps, 'agent', { tenantId, id }),

  updateAgentDefinition: async ({ tenantId, params: { id }, body, caller }, deps) =>
    toDefinition(
      await updateDefinition(deps, 'agent', {
        key: { tenantId, id },
        by: caller.userId,
        changeOf: () => body,
      }),
    ),

  deleteAgentDefinition: ({ tenantId, params: { id } }, deps) =>
    deleteDefinition(deps, 'agent', { tenantId, id }),

  listToolsOfAgent: ({ tenantId, params: { id } }, deps) =>
    showParts(deps, 'tool', { key: { tenantId, id }, idsOf: ({ toolIds }) => toolIds }),

  listCapabilitiesOfAgent: ({ tenantId, params: { id } }, deps) =>
    showParts(deps, 'capability', { key: { tenantId, id }, idsOf: ({ capabilityIds }) => capabilityIds }),

  publishAgentDefinition: async ({ tenantId, params: { id }, body, caller }, deps) =>
    toDefinition(await publish(deps, 'agent', { key: { tenantId, id }, by: caller.userId, ...body })),

  unpublishAgentDefinition: async ({ tenantId, params: { id } }, deps) =>
    toDefinition(await unpublish(deps, 'agent', { tenantId, id })),

  copyAgentDefinition: async ({ tenantId, params: { id }, caller }, deps) =>
    toDefinition(await copyDefinition(deps, 'agent', { key: { tenantId, id }, by: caller.userId })),
};

async function showParts<Kind extends 'tool' | 'capability'>(
  { database }: Pick<Deps, 'database'>,
  kind: Kind,
  { key, idsOf }: { key: DefinitionKey; idsOf: (agent: DefinitionRows['agent']) => string[] },
): Promise<Wire<Kind>[]> {
  const { tenantId } = key;
  return await withTenant(database, [tenantId], async (tx: TenantTx) => {
    const ids = idsOf(await requireDefinition(tx, 'agent', key));
    const rows = await listDefinitionsInOrder(tx, kind, { tenantId, ids });
    return (await withPublications(tx, kind, rows)).map(toDefinition<DefinitionRows[Kind]>);
  });
}
