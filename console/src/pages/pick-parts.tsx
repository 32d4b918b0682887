import { Link } from '@tanstack/react-router';
import { useAnswer, useList } from '../api/use-answer.ts';
import { ActButton } from '../parts/act-button.tsx';
import { type Part, PartPicker } from './part-picker.tsx';
import { kindWords } from './tool-kinds.ts';

interface PickProps {
  /** Identifiers, in their order. */
  chosen: readonly string[];
  most: number;
  error: Error | null;
}

const link = 'text-accent underline';

/** The tools that an agent or a capability has, each with why it does nothing as things are. */
export function PickTools({ chosen, most, error }: PickProps) {
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
      error={error}
    >
      {missing.length > 0 && (
        <p className="text-sm text-soft">
          There is none yet of: {missing.map(({ kind }) => kindWords[kind]).join(', ')}. Define one on the{' '}
          <Link to="/agents/tools" className={link}>
            page of tools
          </Link>
          .
        </p>
      )}
    </PartPicker>
  );
}

/** Gives the tenant a tool of each kind that needs no settings. */
export function DefineSimpleTools() {
  return (
    <ActButton
      action={{ what: 'Define the simple tools', method: 'post', path: '/api/definitions/tools/sync' }}
    >
      Define all that need no settings
    </ActButton>
  );
}

/** The capabilities that an agent has. */
export function PickCapabilities({ chosen, most, error }: PickProps) {
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
      error={error}
    >
      {parts?.length === 0 && (
        <p className="text-sm text-soft">
          A capability holds tools and the instructions for them. Make one on the{' '}
          <Link to="/agents/capabilities" className={link}>
            page of capabilities
          </Link>
          .
        </p>
      )}
    </PartPicker>
  );
}
