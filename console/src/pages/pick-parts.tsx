import { postAction } from '../api/use-action.ts';
import { useAnswer, useList } from '../api/use-answer.ts';
import { ActButton } from '../parts/act-button.tsx';
import { TextLink } from '../parts/text-link.tsx';
import { type Part, PartPicker } from './part-picker.tsx';
import { kindWords } from './tool-kinds.ts';
import { useServers } from './tool-servers/use-servers.ts';

interface PickProps {
  /** The chosen identifiers, in order. */
  chosen: readonly string[];
  most: number;
}

/** Picks an agent's or a capability's tools. Shows the reason for each tool that has no effect at present. */
export function PickTools({ chosen, most }: PickProps) {
  const tools = useAnswer('/api/definitions/tools/available');
  const parts = tools.data?.flatMap(({ id, name, description, kind, reason }): Part[] =>
    id === null ? [] : [{ id, name, description, kind: kindWords[kind], problem: reason }],
  );
  const missing = tools.data?.filter(({ id }) => id === null) ?? [];
  return (
    <PartPicker
      title="Tools"
      what="tool"
      field={['toolIds']}
      most={most}
      chosen={chosen}
      parts={{ ...tools, data: parts }}
    >
      {missing.length > 0 && (
        <p className="text-sm text-soft">
          No tools yet of the kinds {missing.map(({ kind }) => kindWords[kind]).join(', ')}. Create one on the{' '}
          <TextLink to="/agents/tools">tools page</TextLink>.
        </p>
      )}
    </PartPicker>
  );
}

/** Creates one tool of each kind that needs no settings. */
export function DefineSimpleTools() {
  return (
    <ActButton action={postAction('Built-in tools added', '/api/definitions/tools/sync')}>
      Add built-in tools
    </ActButton>
  );
}

/** Picks an agent's capabilities. */
export function PickCapabilities({ chosen, most }: PickProps) {
  const capabilities = useList('/api/definitions/capabilities', { query: { limit: 500 } });
  const parts = capabilities.data?.map(({ id, name, description, toolIds }): Part => {
    const kind = toolIds.length === 1 ? '1 tool' : `${toolIds.length} tools`;
    return { id, name, description, kind };
  });
  return (
    <PartPicker
      title="Capabilities"
      what="capability"
      field={['capabilityIds']}
      most={most}
      chosen={chosen}
      parts={{ ...capabilities, data: parts }}
    >
      {parts?.length === 0 && (
        <p className="text-sm text-soft">
          A capability bundles tools with instructions for using them. Create one on the{' '}
          <TextLink to="/agents/capabilities">capabilities page</TextLink>.
        </p>
      )}
    </PartPicker>
  );
}

/** Picks an agent's MCP servers. Not shown while there are none, or while external tools are off. */
export function PickServers({ chosen, most }: PickProps) {
  const servers = useServers();
  const parts = servers.data?.map(({ serverId, name, url, state, lastError }): Part => {
    const problem = state === 'ready' ? null : (lastError ?? 'its tools have not been read yet');
    return { id: serverId, name, description: url, problem };
  });
  if ((parts ?? []).length === 0 && chosen.length === 0) return null;
  return (
    <PartPicker
      title="MCP servers"
      what="server"
      field={['serverIds']}
      most={most}
      chosen={chosen}
      parts={{ ...servers, data: parts }}
    >
      <p className="text-sm text-soft">The agent has all allowed tools of a server.</p>
    </PartPicker>
  );
}

/** Picks a bot's agents. Their order is kept, because the first one is the default. */
export function PickAgents({ chosen, most }: PickProps) {
  const agents = useList('/api/definitions/agents', { query: { limit: 500, sort: 'name' } });
  return (
    <PartPicker title="Agents" what="agent" field={['agentIds']} most={most} chosen={chosen} parts={agents}>
      <p className="text-sm text-soft">
        The first agent is the default: it answers when no other agent fits better.
      </p>
    </PartPicker>
  );
}
