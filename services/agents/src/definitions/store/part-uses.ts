import type { TenantTx } from '@botyard/shared/db/database';
import { and, arrayOverlaps, eq, or, sql } from '@botyard/shared/db/drizzle';
import { text } from '@botyard/shared/db/expressions';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import { agentDefinitions, capabilityDefinitions } from '../../store/definitions-schema.ts';
import type { AgentDefinitionRow } from './agent-definitions.ts';

/** Parts of one kind, by their identifiers. */
interface PartIds {
  kind: 'tool' | 'capability';
  ids: readonly string[];
}

/** Gives each agent that has one of these parts, itself or by a capability, its next version, and returns them. */
export async function raiseVersionsUsing(
  tx: TenantTx,
  tenantId: string,
  parts: PartIds,
): Promise<AgentDefinitionRow[]> {
  if (parts.ids.length === 0) return [];
  return await tx.db
    .update(agentDefinitions)
    .set({ version: sql`${agentDefinitions.version} + 1`, updatedAt: sql`now()` })
    .where(and(eq(agentDefinitions.tenantId, tenantId), await has(tx, tenantId, parts)))
    .returning();
}

async function has(tx: TenantTx, tenantId: string, { kind, ids }: PartIds) {
  const { toolIds, capabilityIds } = agentDefinitions;
  if (kind === 'capability') return arrayOverlaps(capabilityIds, [...ids]);
  const capabilities = await tx.db
    .select({ id: capabilityDefinitions.id })
    .from(capabilityDefinitions)
    .where(
      and(
        eq(capabilityDefinitions.tenantId, tenantId),
        arrayOverlaps(capabilityDefinitions.toolIds, [...ids]),
      ),
    );
  const own = arrayOverlaps(toolIds, [...ids]);
  return capabilities.length > 0
    ? or(
        own,
        arrayOverlaps(
          capabilityIds,
          capabilities.map(({ id }) => id),
        ),
      )
    : own;
}

const sharedPart = columns({ id: text('id') });

/** The identifiers of all tools and capabilities that other agents than this one have, or apps. */
export const listSharedParts = preparedStatement({
  name: 'agents.definitions.shared-parts',
  text: typedSql`with agents as (
      select tool_ids, capability_ids
      from agents.agent_definitions
      where tenant_id = $1 and id <> $2
    ), capabilities as (
      select unnest(capability_ids) as id from agents
      union
      select unnest(v.capability_ids)
      from agents.apps a
      join agents.app_versions v
        on v.tenant_id = a.tenant_id and v.app_id = a.app_id and v.version = a.current_version
      where a.tenant_id = $1
    )
    select ${sharedPart} from (
      select id from capabilities
      union
      select unnest(tool_ids) from agents
      union
      select unnest(c.tool_ids)
      from capabilities
      join agents.capability_definitions c on c.tenant_id = $1 and c.id = capabilities.id
    ) as parts`,
  values: ({ tenantId, id }: { tenantId: string; id: string }) => [tenantId, id],
  result: (rows) => new Set(rows.map((row) => row.id)),
});
