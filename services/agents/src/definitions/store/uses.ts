import type { TenantTx } from '@botyard/shared/db/database';
import { alias, and, arrayContains, desc, eq, inArray, isNull, or } from '@botyard/shared/db/drizzle';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import { apps } from '../../store/apps-schema.ts';
import { agentDefinitions, capabilityDefinitions } from '../../store/definitions-schema.ts';
import { botAssignments } from '../../store/routing-schema.ts';
import { bots } from '../../store/schema.ts';

/** The most uses that are named, which is enough to find the cause. */
const maxNamed = 50;

interface Named {
  id: string;
  name: string;
}

/** Bots that an agent serves: those that list it, and those with an assignment to it. */
export async function listBotsUsing(tx: TenantTx, tenantId: string, agentId: string): Promise<Named[]> {
  const assigned = tx.db
    .select({ botId: botAssignments.botId })
    .from(botAssignments)
    .where(and(eq(botAssignments.tenantId, tenantId), eq(botAssignments.agentId, agentId)));
  const uses = or(arrayContains(bots.agentIds, [agentId]), inArray(bots.botId, assigned));
  return await tx.db
    .select({ id: bots.botId, name: bots.name })
    .from(bots)
    .where(and(eq(bots.tenantId, tenantId), isNull(bots.deletedAt), uses))
    .orderBy(desc(bots.botId))
    .limit(maxNamed);
}

export async function listAgentsUsing(
  tx: TenantTx,
  tenantId: string,
  part: { toolId: string } | { capabilityId: string },
): Promise<Named[]> {
  const { id, name, toolIds, capabilityIds } = agentDefinitions;
  const has =
    'toolId' in part
      ? arrayContains(toolIds, [part.toolId])
      : arrayContains(capabilityIds, [part.capabilityId]);
  return await tx.db
    .select({ id, name })
    .from(agentDefinitions)
    .where(and(eq(agentDefinitions.tenantId, tenantId), has))
    .orderBy(desc(id))
    .limit(maxNamed);
}

export async function listCapabilitiesUsing(
  tx: TenantTx,
  tenantId: string,
  toolId: string,
): Promise<Named[]> {
  const { id, name, toolIds } = capabilityDefinitions;
  return await tx.db
    .select({ id, name })
    .from(capabilityDefinitions)
    .where(and(eq(capabilityDefinitions.tenantId, tenantId), arrayContains(toolIds, [toolId])))
    .orderBy(desc(id))
    .limit(maxNamed);
}

const a = alias(apps, 'a');
const appNamed = columns({ id: a.appId, name: a.name });

/** Apps whose running version refers to an agent or a capability, at most 50. */
export async function listAppsUsing(
  tx: TenantTx,
  tenantId: string,
  part: { agentId: string } | { capabilityId: string },
): Promise<Named[]> {
  const isAgent = 'agentId' in part;
  return await tx.query({
    name: isAgent ? 'agents.apps.using-agent' : 'agents.apps.using-capability',
    text: typedSql`select ${appNamed} from agents.apps a
      join agents.app_versions v on v.tenant_id = a.tenant_id and v.app_id = a.app_id and v.version = a.current_version
      where a.tenant_id = $1 and $2 = any (v.${isAgent ? 'agent_ids' : 'capability_ids'})
      order by a.app_id desc limit 50`,
    values: [tenantId, isAgent ? part.agentId : part.capabilityId],
  });
}
