import type { agentsRouter } from '@botyard/contracts/http/agents';
import type { Provider } from '@botyard/contracts/http/provider';
import type { Finders, Handlers } from '@botyard/shared/http/mount';
import {
  changeAgentStatus,
  findChangeableAgent,
  refreshRegistry,
} from '../../definitions/domain/agent-status.ts';
import { previewTriage } from '../../routing/domain/preview.ts';
import type { Deps } from '../deps.ts';
import { getAgentDetail, getAgentStats, listAgentsAtWork } from '../domain/agents-at-work.ts';
import { getModelNotes } from '../domain/learned-notes.ts';

/** The days of use that the response to a status change covers. */
const usualDays = 30;

export const agentsHandlers: Omit<Handlers<typeof agentsRouter, Deps>, 'tryAgent'> = {
  listAgents: ({ tenantId, query }, deps) => listAgentsAtWork(deps, tenantId, query),

  getAgentStats: ({ tenantId, query }, deps) => getAgentStats(deps, tenantId, query.days),

  listModels: ({ tenantId, params, query }, deps) =>
    deps.modelLists.listFor({ tenantId, provider: params.provider as Provider, ...query }),

  getAgent: ({ tenantId, params: { agentId }, query }, deps) =>
    getAgentDetail(deps, { tenantId, agentId }, query.days),

  getModelNotes: ({ tenantId, params: { agentId } }, deps) => getModelNotes(deps, { tenantId, agentId }),

  updateAgentStatus: async ({ params: { agentId }, body, caller }, deps) => {
    const tenantId = await changeAgentStatus(deps, { agentId, isEnabled: body.enabled, by: caller });
    return await getAgentDetail(deps, { tenantId, agentId }, usualDays);
  },

  refreshRegistry: ({ tenantId }, deps) => refreshRegistry(deps, tenantId),

  previewTriage: ({ tenantId, body }, deps) => previewTriage(deps, tenantId, body),
};

/** An agent of any tenant can be changed, while one of the active tenant alone can be read. */
export const agentsFinders: Finders<typeof agentsRouter, Deps> = {
  updateAgentStatus: ({ params: { agentId }, caller }, deps) =>
    findChangeableAgent(deps, { agentId, by: caller }),
};
