import type { TriageRecord } from '@botyard/contracts/http/triage';
import { withTenant } from '@botyard/shared/db/database';
import type { Said } from '@botyard/shared/db/erased-people';
import type { SaidRow } from '../../conversations/store/messages.ts';
import { type AgentAtWork, getEquipment } from '../../definitions/store/agent-equipment.ts';
import { servedApp } from '../../routing/domain/routes-of-apps.ts';
import type { BoundApp } from '../../routing/store/bound-apps.ts';
import { type Equipment, equipmentOf, withGivenTools } from '../../tools/domain/equipment.ts';
import type { Deps } from '../deps.ts';
import { recordTools } from './record-tools.ts';

interface Served {
  agent: AgentAtWork;
  triage: TriageRecord | null;
  apps: readonly BoundApp[];
  turn: readonly SaidRow[];
  said: readonly Said[];
}

/** An agent's equipment in a turn: its own, and that of the app that it answers for. */
export async function equipFor(deps: Deps, { agent, triage, apps, turn, said }: Served): Promise<Equipment> {
  const app = servedApp(apps, agent.id, triage?.app?.appId);
  const inApp = app?.spec.agents.find(({ agentId }) => agentId === agent.id);
  if (!app || !inApp) return equipmentOf(agent);
  const capabilityIds = inApp.capabilities.flatMap(
    (key) => app.spec.capabilities.find((one) => one.key === key)?.capabilityId ?? [],
  );
  const equipped = await withCapabilities(deps, agent, capabilityIds);
  const recorded = {
    tenantId: agent.tenantId,
    app,
    agentId: agent.id,
    messageId: turn[0]?.messageId ?? '',
    personId: authorOf(turn, said),
    said,
  };
  return withGivenTools(equipmentOf(equipped), recordTools(deps, recorded, inApp));
}

/** Adds the app's capabilities that the agent doesn't have itself. */
async function withCapabilities(
  { database }: Deps,
  agent: AgentAtWork,
  capabilityIds: readonly string[],
): Promise<AgentAtWork> {
  const more = capabilityIds.filter((id) => !agent.capabilityIds.includes(id));
  if (more.length === 0) return agent;
  const { tenantId, equipment } = agent;
  const addedEquipment = await withTenant(database, [tenantId], (tx) =>
    getEquipment(tx, { tenantId, toolIds: [], capabilityIds: more }),
  );
  return {
    ...agent,
    equipment: {
      tools: [...(equipment?.tools ?? []), ...(addedEquipment?.tools ?? [])],
      capabilities: [...(equipment?.capabilities ?? []), ...(addedEquipment?.capabilities ?? [])],
    },
  };
}

/** The person who wrote all of these messages; `null` for several or unknown ones. */
function authorOf(turn: readonly SaidRow[], said: readonly Said[]): string | null {
  const [first] = said;
  const isAlone = said.length === turn.length && said.every(({ personId }) => personId === first?.personId);
  return isAlone ? (first?.personId ?? null) : null;
}
