import type { Router } from '@botyard/contracts/http/contract';
import type { agentVersionRoutes } from '@botyard/contracts/http/definitions-agent-versions';
import type { Handlers } from '@botyard/shared/http/mount';
import type { Deps } from '../../deps.ts';
import { listVersions, restoreVersion } from '../domain/versions.ts';
import { toDefinition, toVersion } from './shown.ts';

/** The part of `/api/definitions` that is about versions of agents. */
export const agentVersionHandlers: Handlers<Router<typeof agentVersionRoutes>, Deps> = {
  listAgentDefinitionVersions: async ({ tenantId, params: { id }, query }, deps) => {
    const { items, next } = await listVersions(deps, { tenantId, id }, query);
    return { items: items.map(toVersion), next };
  },

  restoreAgentDefinitionVersion: async ({ tenantId, params: { id, version }, caller }, deps) =>
    toDefinition(
      await restoreVersion(deps, { key: { tenantId, id }, version: Number(version), by: caller.userId }),
    ),
};
