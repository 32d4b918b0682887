import { z } from 'zod';
import type { Equipment, EquippedTool, GivenTool } from '../../tools/domain/equipment.ts';
import { faultsOf } from '../../tools/domain/run-tool.ts';
import { ToolError } from '../../tools/domain/tool-error.ts';
import type { Deps } from '../deps.ts';

type SearchDeps = Pick<Deps, 'toolSearcher'>;

/** Up to this many tools go to the model as they are. */
const maxOffered = 40;
/** A search finds up to this many. */
const foundAtOnce = 10;
const maxShownUnits = 200;

export const searchName = 'find_tools';
const parameters = z.object({ query: z.string().trim().min(1).max(1000) });
const schema = {
  type: 'object',
  properties: {
    query: {
      type: 'string',
      description: 'What the tool should do, in a few words of English: create an invoice.',
    },
  },
  required: ['query'],
};

/**
 * Replaces the external tools of an agent with too many of them by one that searches them. A turn offers the model what
 * it has found (`Turn.offeredTools`).
 */
export function withToolSearch(deps: SearchDeps, tenantId: string, equipment: Equipment): Equipment {
  const external = equipment.tools.filter(({ kind }) => kind === 'external');
  if (equipment.tools.length <= maxOffered || external.length <= foundAtOnce) return equipment;
  const others = equipment.tools.filter(
    ({ kind, offered }) => kind !== 'external' && offered.name !== searchName,
  );
  return { ...equipment, tools: [...others, searchOf(deps, tenantId, external)], searched: external };
}

function searchOf({ toolSearcher }: SearchDeps, tenantId: string, tools: readonly EquippedTool[]): GivenTool {
  const description =
    `Finds tools. There are ${tools.length} more than those that you see; they can be called once this has found them. ` +
    'Use it before you say that something is not possible.';
  return {
    toolId: null,
    kind: 'find_tools',
    offered: { name: searchName, description, parameters: schema },
    run: async (given, signal) => {
      const fitting = parameters.safeParse(given);
      if (!fitting.success) throw new ToolError('refused', faultsOf(fitting.error.issues));
      const { query } = fitting.data;
      const matches = await toolSearcher.find(tenantId, tools, { query, signal });
      if (matches.length === 0) return { text: 'No tool fits. Try other words.' };
      const lines = matches.map(({ offered }) => `${offered.name}: ${beginOf(offered.description)}`);
      return { text: `You can call these now:\n${lines.join('\n')}`, offers: matches };
    },
  };
}

const beginOf = (description: string): string => {
  const [line = ''] = description.split('\n', 1);
  return line.slice(0, maxShownUnits).toWellFormed();
};
