import { maxBytesOfVersions, maxVersionsKept } from '@botyard/contracts/http/definitions-agent-versions';
import type { TenantTx } from '@botyard/shared/db/database';
import { and, desc, eq, gt, isNull, lt, lte, sql } from '@botyard/shared/db/drizzle';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { rowsOf } from '@botyard/shared/db/rows';
import { agentVersions } from '../../store/definitions-schema.ts';
import type { DefinitionKey } from './definitions.ts';

export type AgentVersionRow = typeof agentVersions.$inferSelect;

const ofAgent = ({ tenantId, id }: DefinitionKey) =>
  and(eq(agentVersions.tenantId, tenantId), eq(agentVersions.agentId, id));

/** Leaves versions that are already stored unchanged, but adds the parts to those without. */
export async function insertAgentVersions(tx: TenantTx, rows: readonly AgentVersionRow[]): Promise<void> {
  if (rows.length === 0) return;
  const { tenantId, agentId, version, parts } = agentVersions;
  await tx.db
    .insert(agentVersions)
    .values([...rows])
    .onConflictDoUpdate({
      target: [tenantId, agentId, version],
      set: {
        parts: sql`excluded.parts`,
        contentHash: sql`excluded.content_hash`,
        bytes: sql`excluded.bytes`,
      },
      setWhere: isNull(parts),
    });
}

/**
 * The versions of an agent that something else names, which are never dropped: the base of its draft, a candidate, and
 * those of kept runs of its test sets. The query gives their numbers for the tenant `$1` and the agent `$2`. Each table
 * that stores the number of a version is added here, in a way that bounds how many it names.
 */
const namedVersions = [
  'select base from agents.agent_drafts where tenant_id = $1 and agent_id = $2',
  "select version from agents.agent_releases where tenant_id = $1 and agent_id = $2 and state = 'running'",
  'select candidate_version from agents.evaluation_runs where tenant_id = $1 and agent_id = $2',
  `select baseline_version from agents.evaluation_runs
     where tenant_id = $1 and agent_id = $2 and baseline_version is not null`,
].join(' union all ');

/**
 * Deletes versions beyond the limits of number and size. The newest one, its predecessor, and those that something
 * names always stay.
 */
export const pruneAgentVersions = preparedStatement({
  name: 'agents.agent_versions.prune',
  text: `delete from agents.agent_versions where tenant_id = $1 and agent_id = $2 and version in (
           select version from (
             select version, row_number() over newest as place, sum(bytes) over newest as total
             from agents.agent_versions where tenant_id = $1 and agent_id = $2
             window newest as (order by version desc)
           ) kept
           where place > $3 or (place > 2 and total > $4))
         and version not in (${namedVersions})`,
  values: ({ tenantId, id }: DefinitionKey) => [tenantId, id, maxVersionsKept, maxBytesOfVersions],
});

/** The number of stored versions after one until another, in which no field of the agent differs from before. */
export const countVersionsOfParts = (
  tx: TenantTx,
  key: DefinitionKey,
  { after, until }: { after: number; until: number },
): Promise<number> =>
  tx.db.$count(
    agentVersions,
    and(
      ofAgent(key),
      gt(agentVersions.version, after),
      lte(agentVersions.version, until),
      eq(agentVersions.changed, []),
    ),
  );

const stored = rowsOf(agentVersions, 'tenantId', 'agentId', 'version');

export const getAgentVersion = (tx: TenantTx, { tenantId, id }: DefinitionKey, version: number) =>
  stored.get(tx, { tenantId, agentId: id, version });

/** Newest first, one more than the page's limit; `before` is a version number. */
export async function listAgentVersions(
  tx: TenantTx,
  key: DefinitionKey,
  { before, limit }: { before?: string | undefined; limit: number },
): Promise<AgentVersionRow[]> {
  return await tx.db
    .select()
    .from(agentVersions)
    .where(
      and(
        ofAgent(key),
        before ? lt(agentVersions.version, Math.min(Number(before), 2 ** 31 - 1)) : undefined,
      ),
    )
    .orderBy(desc(agentVersions.version))
    .limit(limit + 1);
}
