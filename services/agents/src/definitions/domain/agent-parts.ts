import type { AgentParts } from '@botyard/contracts/http/definitions-agent-versions';
import type { TenantTx } from '@botyard/shared/db/database';
import { type DefinitionRows, listDefinitionsInOrder } from '../store/definitions.ts';

type AgentRow = DefinitionRows['agent'];
type References = Pick<AgentRow, 'tenantId' | 'toolIds' | 'capabilityIds'>;

/** The tools and capabilities that an agent has now. */
export async function partsOf(tx: TenantTx, agent: References): Promise<AgentParts> {
  const [parts] = await partsOfAll(tx, [agent]);
  return parts!;
}

/** The same for several agents of one tenant, in their order; parts that are `replaced` are as they are there. */
export async function partsOfAll(
  tx: TenantTx,
  agents: readonly References[],
  replaced: AgentParts = { capabilities: [], tools: [] },
): Promise<AgentParts[]> {
  const [first] = agents;
  if (!first) return [];
  const { tenantId } = first;
  const capabilityIds = unique(agents.flatMap((agent) => agent.capabilityIds));
  const capabilityRows = await listDefinitionsInOrder(tx, 'capability', { tenantId, ids: capabilityIds });
  const capabilities = [...capabilityRows, ...replaced.capabilities].map(capabilityContent);
  const toolIds = unique([...agents, ...capabilities].flatMap((row) => row.toolIds));
  const tools = await listDefinitionsInOrder(tx, 'tool', { tenantId, ids: toolIds });
  // The later of two with one identifier counts.
  const all = { capabilities, tools: [...tools, ...replaced.tools].map(toolContent) };
  return agents.map((agent) => partsAmong(all, agent));
}

/** The parts that an agent with these references has. Parts that don't exist are left out. */
function partsAmong(
  all: AgentParts,
  { toolIds, capabilityIds }: Pick<References, 'toolIds' | 'capabilityIds'>,
): AgentParts {
  const capabilities = inOrder(all.capabilities, capabilityIds);
  const ownToolIds = unique([...toolIds, ...capabilities.flatMap((capability) => capability.toolIds)]);
  return { capabilities, tools: inOrder(all.tools, ownToolIds) };
}

/** Those of the parts that have these identifiers, in the order of the identifiers. */
export function inOrder<Part extends { id: string }>(parts: readonly Part[], ids: readonly string[]): Part[] {
  const byId = new Map(parts.map((part) => [part.id, part]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

export const capabilityContent = (
  row: AgentParts['capabilities'][number],
): AgentParts['capabilities'][number] => {
  const { id, name, description, instructions, keywords, toolIds } = row;
  return { id, name, description, instructions, keywords, toolIds };
};

export const toolContent = (row: AgentParts['tools'][number]): AgentParts['tools'][number] => {
  const { id, name, description, kind, settings } = row;
  return { id, name, description, kind, settings };
};

const unique = (ids: readonly string[]): string[] => [...new Set(ids)];
