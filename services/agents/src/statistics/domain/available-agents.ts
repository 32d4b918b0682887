import type { AvailableAgent } from '@botyard/contracts/http/agents';
import { type Database, withTenant } from '@botyard/shared/db/database';
import { shortPage } from '../../definitions/domain/short-page.ts';
import { listAgentsOfTenants } from '../../definitions/store/agent-definitions.ts';

/** Agents that bots of these tenants may refer to, newest first. `next` is set when there are more than were told. */
export async function listAvailableAgents(
  database: Database,
  { tenantIds, limit, before }: { tenantIds: string[]; limit: number; before?: string | undefined },
): Promise<{ agents: AvailableAgent[]; next?: string | undefined }> {
  const rows = await withTenant(database, tenantIds, (tx) => listAgentsOfTenants(tx, { limit, before }));
  const found = rows.map(({ id: agentId, ...row }) => ({ agentId, ...row }));
  const { items: agents, next } = shortPage(found, limit, ({ agentId }) => agentId);
  return { agents, next };
}
