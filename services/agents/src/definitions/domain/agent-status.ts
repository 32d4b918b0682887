import { registryRefreshed } from '@botyard/contracts/events/agents';
import type { RefreshedRegistry } from '@botyard/contracts/http/agent-figures';
import type { Caller } from '@botyard/shared/auth/caller';
import { withPlatform, withTenant } from '@botyard/shared/db/database';
import { forbidden, notFound } from '@botyard/shared/http/errors';
import type { Deps } from '../deps.ts';
import { findTenantOfAgent, setAgentEnabled } from '../store/agent-definitions.ts';
import { countRegistry } from '../store/registry.ts';

interface StatusChange {
  agentId: string;
  isEnabled: boolean;
  by: Pick<Caller, 'isOperator' | 'roles'>;
}

/**
 * Enables or disables an agent. An admin can change those of their tenants, an operator all of them, the platform's
 * included. Returns the agent's tenant. Turns read the state when they begin, so it applies in all instances
 * immediately.
 * @throws HttpError 403 for members of the agent's tenant, 404 when no tenant of the caller has it.
 */
export async function changeAgentStatus(
  { database, log }: Pick<Deps, 'database' | 'log'>,
  { agentId, isEnabled, by }: StatusChange,
): Promise<string> {
  const { tenantId, isAdmin } = await findChangeableAgent({ database }, { agentId, by });
  const isChanged = await withTenant(database, [tenantId], (tx) =>
    setAgentEnabled(tx, { tenantId, agentId }, isEnabled),
  );
  if (!isChanged) throw notFound('agent');
  if (!isAdmin)
    log.info({ audit: 'operator changed the status of an agent', tenantId, agentId, isEnabled }, 'audit');
  return tenantId;
}

/** The tenant of an agent that the caller may enable or disable. @throws HttpError 403, 404 as `changeAgentStatus`. */
export async function findChangeableAgent(
  { database }: Pick<Deps, 'database'>,
  { agentId, by }: Omit<StatusChange, 'isEnabled'>,
): Promise<{ tenantId: string; isAdmin: boolean }> {
  const tenantId = await withPlatform(database, 'find the tenant of an agent', (tx) =>
    findTenantOfAgent(tx, agentId),
  );
  if (!tenantId) throw notFound('agent');
  const isAdmin = by.roles.get(tenantId) === 'admin';
  if (!isAdmin && !by.isOperator) throw by.roles.has(tenantId) ? forbidden() : notFound('agent');
  return { tenantId, isAdmin };
}

/** Makes all instances drop cached data about a tenant's agents, and returns the current counts. */
export async function refreshRegistry(
  { database, outbox }: Pick<Deps, 'database' | 'outbox'>,
  tenantId: string,
): Promise<RefreshedRegistry> {
  return await withTenant(database, [tenantId], async (tx) => {
    await outbox.emit(tx, registryRefreshed, { tenantId });
    return { ...(await countRegistry(tx, tenantId)), refreshedAt: new Date().toISOString() };
  });
}
