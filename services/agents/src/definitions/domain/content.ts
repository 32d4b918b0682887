import type { DefinitionKind } from '@botyard/contracts/http/definitions-common';
import type { TenantTx } from '@botyard/shared/db/database';
import type { PublishedContent } from '../../store/definitions-schema.ts';
import type { DefinitionRows } from '../store/definitions.ts';
import { capabilityContent, partsOf, toolContent } from './agent-parts.ts';

type Row = DefinitionRows[DefinitionKind];

/** A definition with all its parts in their current state. */
export async function contentOf(tx: TenantTx, kind: DefinitionKind, row: Row): Promise<PublishedContent> {
  switch (kind) {
    case 'agent': {
      const agent = row as DefinitionRows['agent'];
      return { agent: agentContent(agent), ...(await partsOf(tx, agent)) };
    }
    case 'capability': {
      const capability = row as DefinitionRows['capability'];
      const { tenantId, toolIds } = capability;
      const { tools } = await partsOf(tx, { tenantId, toolIds, capabilityIds: [] });
      return { agent: null, capabilities: [capabilityContent(capability)], tools };
    }
    case 'tool':
      return { agent: null, capabilities: [], tools: [toolContent(row as DefinitionRows['tool'])] };
  }
}

const agentContent = (row: DefinitionRows['agent']): NonNullable<PublishedContent['agent']> => {
  const { name, description, instructions, provider, model, keywords, toolIds, capabilityIds } = row;
  const { modelSettings, serverIds } = row;
  return {
    name,
    description,
    instructions,
    provider,
    model,
    keywords,
    toolIds,
    capabilityIds,
    // Absent if empty, so that older publications stay unchanged.
    ...(Object.keys(modelSettings).length > 0 ? { modelSettings } : {}),
    ...(serverIds.length > 0 ? { serverIds } : {}),
  };
};
