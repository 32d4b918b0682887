import type { DefinitionKind } from '@botyard/contracts/http/definitions-common';
import type { TenantTx } from '@botyard/shared/db/database';
import type { PublishedContent } from '../../store/definitions-schema.ts';
import { type DefinitionRows, listDefinitionsInOrder } from '../store/definitions.ts';

type Row = DefinitionRows[DefinitionKind];

/** A definition with all its parts in their current state. */
export async function contentOf(tx: TenantTx, kind: DefinitionKind, row: Row): Promise<PublishedContent> {
  const { tenantId } = row;
  const agent = kind === 'agent' ? (row as DefinitionRows['agent']) : null;
  const capabilities =
    kind === 'capability'
      ? [row as DefinitionRows['capability']]
      : await listDefinitionsInOrder(tx, 'capability', { tenantId, ids: agent?.capabilityIds ?? [] });
  const toolIds = [agent, ...capabilities].flatMap((one) => one?.toolIds ?? []);
  const tools =
    kind === 'tool'
      ? [row as DefinitionRows['tool']]
      : await listDefinitionsInOrder(tx, 'tool', { tenantId, ids: [...new Set(toolIds)] });
  return {
    agent: agent && agentContent(agent),
    capabilities: capabilities.map(capabilityContent),
    tools: tools.map(toolContent),
  };
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

const capabilityContent = (row: DefinitionRows['capability']): PublishedContent['capabilities'][number] => {
  const { id, name, description, instructions, keywords, toolIds } = row;
  return { id, name, description, instructions, keywords, toolIds };
};

const toolContent = (row: DefinitionRows['tool']): PublishedContent['tools'][number] => {
  const { id, name, description, kind, settings } = row;
  return { id, name, description, kind, settings };
};
