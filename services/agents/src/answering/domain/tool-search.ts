import { z } from 'zod';
import { createWordIndex } from '../../routing/domain/word-index.ts';
import type { Equipment, EquippedTool, GivenTool } from '../../tools/domain/equipment.ts';
import { faultsOf } from '../../tools/domain/run-tool.ts';
import { ToolError } from '../../tools/domain/tool-error.ts';

/** Up to this many tools go to the model as they are. */
const maxOffered = 40;
const maxFound = 10;
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
export function withToolSearch(equipment: Equipment): Equipment {
  const external = equipment.tools.filter(({ kind }) => kind === 'external');
  if (equipment.tools.length <= maxOffered || external.length <= maxFound) return equipment;
  const others = equipment.tools.filter(
    ({ kind, offered }) => kind !== 'external' && offered.name !== searchName,
  );
  return { ...equipment, tools: [...others, searchOf(external)], searched: external };
}

function searchOf(tools: readonly EquippedTool[]): GivenTool {
  const description =
    `Finds tools. There are ${tools.length} more than those that you see; they can be called once this has found them. ` +
    'Use it before you say that something is not possible.';
  return {
    toolId: null,
    kind: 'find_tools',
    offered: { name: searchName, description, parameters: schema },
    run: async (given) => {
      const fitting = parameters.safeParse(given);
      if (!fitting.success) throw new ToolError('refused', faultsOf(fitting.error.issues));
      const matches = findTools(tools, fitting.data.query);
      if (matches.length === 0) return { text: 'No tool fits. Try other words.' };
      const lines = matches.map(({ offered }) => `${offered.name}: ${beginOf(offered.description)}`);
      return { text: `You can call these now:\n${lines.join('\n')}`, offers: matches };
    },
  };
}

/** The tools that fit the words best, at most ten. */
export function findTools(tools: readonly EquippedTool[], query: string): EquippedTool[] {
  const words = tools.map(({ offered }, index) => ({
    id: String(index).padStart(5, '0'),
    name: wordsOf(offered.name),
    description: `${offered.description}\n${argumentNames(offered.parameters)}`,
    keywords: [],
    capabilityIds: [],
    isEnabled: true,
    version: 1,
  }));
  const matches = createWordIndex(words, [])(query);
  return [...matches]
    .toSorted(([leftId, left], [rightId, right]) => right.score - left.score || (leftId < rightId ? -1 : 1))
    .slice(0, maxFound)
    .map(([id]) => tools[Number(id)]!);
}

/** `sendNote` and `send_note` as `send note`. */
const wordsOf = (name: string): string =>
  name.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').replaceAll(/[_.-]+/g, ' ');

const argumentNames = ({ properties }: Record<string, unknown>): string =>
  Object.keys(Object(properties)).map(wordsOf).join(' ');

const beginOf = (description: string): string => {
  const [line = ''] = description.split('\n', 1);
  return line.slice(0, maxShownUnits).toWellFormed();
};
