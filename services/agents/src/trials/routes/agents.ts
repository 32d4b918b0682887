import type { agentsRouter } from '@botyard/contracts/http/agents';
import type { Handlers } from '@botyard/shared/http/mount';
import type { Deps } from '../deps.ts';
import { tryAgent } from '../domain/try-agent.ts';

export const trialHandlers: Pick<Handlers<typeof agentsRouter, Deps>, 'tryAgent'> = {
  tryAgent: ({ tenantId, params: { agentId }, body, caller }, deps) =>
    tryAgent(deps, { tenantId, agentId, userId: caller.userId, ...body }),
};
