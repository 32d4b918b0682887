import type { AvailableAgent } from '@botyard/shared/contracts/agents';
import { type Database, withTenant } from '@botyard/shared/db/database';
import { listAgentsOfTenants } from '../store/definitions.ts';

/** What fits into one message of the bus, with room for the rest. */
const mostBytes = 400_000;

/** Agents that bots of these tenants may refer to, newest first. `next` is set when there are more than were told. */
export async function listAvailableAgents(
  database: Database,
  { tenantIds, limit, before }: { tenantIds: string[]; limit: number; before?: string | undefined },
): Promise<{ agents: AvailableAgent[]; next?: string | undefined }> {
  const rows = await withTenant(database, tenantIds, (tx) => listAgentsOfTenants(tx, { limit, before }));
  const agents: AvailableAgent[] = [];
  let bytes = 0;
  for (const { id: agentId, tenantId, name, description } of rows.slice(0, limit)) {
    const agent = { agentId, tenantId, name, description };
    bytes += Buffer.byteLength(JSON.stringify(agent));
    if (bytes > mostBytes) break;
    agents.push(agent);
  }
  const hasMore = agents.length < rows.length;
  return { agents, next: hasMore ? agents.at(-1)?.agentId : undefined };
}
