import type { AppSpecInput } from '@botyard/contracts/http/app-spec';
import type { ToolKind } from '@botyard/contracts/http/tool-kinds';

interface Part {
  key: string;
  name: string;
  description: string;
}

/**
 * Everything that installing an app creates. Keys connect the parts; agents and capabilities have the same keys in the
 * spec.
 */
export interface Template {
  templateId: string;
  name: string;
  description: string;
  tools: (Part & { kind: ToolKind; settings: Record<string, unknown> })[];
  capabilities: (Part & { instructions: string; keywords: string[]; tools: string[] })[];
  agents: (Part & { instructions: string; keywords: string[]; tools: string[] })[];
  /** Without identifiers, which exist only after the parts are created. */
  spec: Omit<AppSpecInput, 'agents' | 'capabilities'> & {
    agents: Omit<NonNullable<AppSpecInput['agents']>[number], 'agentId'>[];
  };
}

export const clock: Template['tools'][number] = {
  key: 'clock',
  name: 'current_time',
  kind: 'current_time',
  description: 'Tells the date and the time of day in a time zone.',
  settings: { timeZone: 'UTC' },
};

export const documents: Template['tools'][number] = {
  key: 'documents',
  name: 'search_context',
  kind: 'search_context',
  description: "Searches the tenant's documents.",
  settings: { limit: 5 },
};
