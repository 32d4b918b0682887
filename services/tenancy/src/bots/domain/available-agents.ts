import { listAgents } from '@botyard/contracts/events/agents';
import type { AvailableAgent } from '@botyard/contracts/http/agents';
import type { Page, PageRequest } from '@botyard/contracts/http/page';
import { ask } from '@botyard/shared/bus/requests';
import type { Deps } from '../deps.ts';

/** The agents that bots of these tenants can use, from the agents service. @throws HttpError 503. */
export async function listAvailableAgents(
  { bus }: Pick<Deps, 'bus'>,
  tenantIds: string[],
  { limit, before }: PageRequest,
): Promise<Page<AvailableAgent>> {
  const { agents, next } = await ask(bus, listAgents, { tenantIds, limit, ...(before ? { before } : {}) });
  return { items: agents, next };
}
