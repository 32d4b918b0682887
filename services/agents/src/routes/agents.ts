import type { agentsRouter } from '@botyard/shared/contracts/agents';
import { withTenant } from '@botyard/shared/db/database';
import { notFound } from '@botyard/shared/http/errors';
import type { Handlers } from '@botyard/shared/http/mount';
import type { Deps } from '../deps.ts';
import { triage } from '../domain/answers/triage.ts';
import { getLiveBot } from '../store/bots.ts';
import { listAgentsInOrder } from '../store/definitions/agent-definitions.ts';

export const agentsHandlers: Handlers<typeof agentsRouter, Deps> = {
  previewTriage: ({ tenantId, body }, { database }) =>
    withTenant(database, [tenantId], async (tx) => {
      const bot = body.botId ? await getLiveBot(tx, tenantId, body.botId) : undefined;
      if (body.botId && !bot) throw notFound('bot');
      const agentIds = [...new Set(body.agentIds ?? bot?.agentIds)];
      const agents = await listAgentsInOrder(tx, tenantId, agentIds);
      if (body.agentIds && agents.length < agentIds.length) throw notFound('agent');
      return triage({ message: body.message, agents, stickyAgentId: null });
    }),
};
