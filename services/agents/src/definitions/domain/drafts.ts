import type { UpdateAgentDefinitionBody } from '@botyard/contracts/http/definitions-agents';
import { withTenant } from '@botyard/shared/db/database';
import type { Deps } from '../../deps.ts';
import { type AgentAtWork, getEquipment } from '../store/agent-equipment.ts';
import type { DefinitionKey } from '../store/definitions.ts';
import { requireDefinition } from './definitions.ts';
import { requireModelSettings, requireReferences } from './references.ts';

/**
 * An agent as it would be with these fields; nothing of it is kept. @throws HttpError 404, and 400 as an update with
 * them would be.
 */
export async function readDraft(
  { database }: Pick<Deps, 'database'>,
  key: DefinitionKey,
  draft: UpdateAgentDefinitionBody,
): Promise<AgentAtWork> {
  return await withTenant(database, [key.tenantId], async (tx) => {
    const stored = await requireDefinition(tx, 'agent', key);
    const given = Object.entries(draft).filter(([, value]) => value !== undefined);
    const agent = { ...stored, ...(Object.fromEntries(given) as Partial<typeof stored>) };
    await requireReferences(tx, key.tenantId, draft);
    requireModelSettings(agent);
    return { ...agent, equipment: await getEquipment(tx, agent) };
  });
}
