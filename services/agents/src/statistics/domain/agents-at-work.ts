import type { Agent, AgentDetail, AgentStats } from '@botyard/contracts/http/agent-figures';
import type { AvailableAgent, ListAgentsQuery } from '@botyard/contracts/http/agents';
import { withMoments } from '@botyard/contracts/http/common';
import type { Page } from '@botyard/contracts/http/page';
import { sortedPageOf } from '@botyard/contracts/http/sorted-page';
import { type Database, type TenantTx, withTenant } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import { shortPage } from '../../definitions/domain/short-page.ts';
import { type AgentDefinitionRow, listAgentsOfTenants } from '../../definitions/store/agent-definitions.ts';
import { getDefinition, listDefinitions, placeOfDefinition } from '../../definitions/store/definitions.ts';
import { countRegistry } from '../../definitions/store/registry.ts';
import type { Deps } from '../deps.ts';
import { listServedBots, sumAgentUse, sumTurns, type TurnSums } from '../store/agent-use.ts';

const dayMs = 86_400_000;
const maxBots = 100;

/** The first moments of today and of the UTC days before it, `days` in all; oldest first. */
function dayStarts(days: number): number[] {
  const today = Math.floor(Date.now() / dayMs) * dayMs;
  return Array.from({ length: days }, (_, index) => today - (days - 1 - index) * dayMs);
}

const firstOf = (days: number): Date => new Date(dayStarts(days)[0]!);

/** A tenant's agents with their activity. */
export async function listAgentsAtWork(
  { database }: Pick<Deps, 'database'>,
  tenantId: string,
  query: ListAgentsQuery,
): Promise<Page<Agent>> {
  const { days, enabled, ...request } = query;
  const isEnabled = enabled === undefined ? undefined : enabled === 'true';
  return await withTenant(database, [tenantId], async (tx) => {
    const rows = await listDefinitions(tx, 'agent', { ...request, tenantId, isEnabled });
    const work = await readWork(tx, tenantId, { rows, days });
    return sortedPageOf(rows, query, (row) => toAgent(row, work), placeOfDefinition);
  });
}

/** @throws HttpError 404 when the tenant has no such agent. */
export async function getAgentDetail(
  { database }: Pick<Deps, 'database'>,
  { tenantId, agentId }: { tenantId: string; agentId: string },
  days: number,
): Promise<AgentDetail> {
  return await withTenant(database, [tenantId], async (tx) => {
    const row = found(await getDefinition(tx, 'agent', { tenantId, id: agentId }), 'agent');
    const work = await readWork(tx, tenantId, { rows: [row], days });
    const { instructions, modelSettings } = row;
    return { ...toAgent(row, work), instructions, modelSettings };
  });
}

interface Work {
  bots: ReadonlyMap<string, Agent['bots']>;
  usage: ReadonlyMap<string, Agent['usage']>;
}

async function readWork(
  tx: TenantTx,
  tenantId: string,
  { rows, days }: { rows: readonly AgentDefinitionRow[]; days: number },
): Promise<Work> {
  const ids = rows.map(({ id }) => id);
  const [uses, served] = await Promise.all([
    sumAgentUse(tx, tenantId, ids, firstOf(days)),
    listServedBots(tx, tenantId, ids, maxBots),
  ]);
  return {
    usage: new Map(
      uses.map(({ agentId, lastUsedAt, ...use }) => [
        agentId,
        { ...use, lastUsedAt: lastUsedAt?.toISOString() ?? null },
      ]),
    ),
    bots: Map.groupBy(served, ({ agentId }) => agentId),
  };
}

function toAgent({ id, isEnabled, ...row }: AgentDefinitionRow, { bots, usage }: Work): Agent {
  const work = { bots: bots.get(id) ?? [], usage: usage.get(id)! };
  return { ...withMoments(row), agentId: id, enabled: isEnabled, ...work };
}

/** Activity of all agents of a tenant today and on the UTC days before. */
export async function getAgentStats(
  { database }: Pick<Deps, 'database'>,
  tenantId: string,
  days: number,
): Promise<AgentStats> {
  const [counts, sums] = await withTenant(database, [tenantId], (tx) =>
    Promise.all([countRegistry(tx, tenantId), sumTurns(tx, tenantId, firstOf(days))]),
  );
  const byDay = new Map(sums.map((row) => [row.day, row]));
  const whole = sums.find(({ day, provider }) => day === null && provider === null);
  return {
    agents: { total: counts.agents, enabled: counts.enabled, used: whole?.agents ?? 0 },
    days: dayStarts(days).map((moment) => {
      const day = new Date(moment).toISOString().slice(0, 10);
      const { answered = 0, apologized = 0 } = byDay.get(day) ?? {};
      return { day, answered, apologized };
    }),
    latencyMs: latencyOf(whole),
    providers: sums.flatMap((row) =>
      row.provider === null ? [] : [{ ...row, provider: row.provider, latencyMs: latencyOf(row) }],
    ),
  };
}

function latencyOf(sums: TurnSums | undefined): AgentStats['latencyMs'] {
  if (!sums?.latencyMs) return null;
  const [p50, p95, p99] = sums.latencyMs.map(Math.round) as [number, number, number];
  return { p50, p95, p99 };
}

/** Agents that bots of these tenants may refer to, newest first. `next` is set if there are more. */
export async function listAvailableAgents(
  database: Database,
  { tenantIds, limit, before }: { tenantIds: string[]; limit: number; before?: string | undefined },
): Promise<{ agents: AvailableAgent[]; next?: string | undefined }> {
  const rows = await withTenant(database, tenantIds, (tx) => listAgentsOfTenants(tx, { limit, before }));
  const agentRows = rows.map(({ id: agentId, ...row }) => ({ agentId, ...row }));
  const { items: agents, next } = shortPage(agentRows, limit, ({ agentId }) => agentId);
  return { agents, next };
}
