import type { OfferedTool } from '../../models/clients/wire.ts';
import { createWordIndex } from '../../routing/domain/word-index.ts';

/** The words of a tool that are searched. */
export interface ToolWords {
  name: string;
  description: string;
}

/** Finds the tools that fit the words best, at most ten: their positions in the list. */
export type ToolIndex = (query: string) => number[];

const maxFound = 10;
/** The index takes no more words of a description than fit into this. */
const maxDescriptionUnits = 4000;

export const wordsOfTool = ({ name, description, parameters }: OfferedTool): ToolWords => ({
  name: wordsOf(name),
  description: `${description.slice(0, maxDescriptionUnits)}\n${argumentNames(parameters)}`,
});

/** The index of a list of tools, by their names, descriptions and arguments. */
export function createToolIndex(tools: readonly ToolWords[]): ToolIndex {
  const entries = tools.map(({ name, description }, index) => ({
    id: String(index).padStart(5, '0'),
    name,
    description,
    keywords: [],
    capabilityIds: [],
    isEnabled: true,
    version: 1,
  }));
  const search = createWordIndex(entries, []);
  return (query) =>
    [...search(query)]
      .toSorted(([leftId, left], [rightId, right]) => right.score - left.score || (leftId < rightId ? -1 : 1))
      .slice(0, maxFound)
      .map(([id]) => Number(id));
}

/** `sendNote` and `send_note` as `send note`. */
const wordsOf = (name: string): string =>
  name.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').replaceAll(/[_.-]+/g, ' ');

const maxArgumentUnits = 1000;

const argumentNames = ({ properties }: Record<string, unknown>): string =>
  Object.keys(Object(properties)).map(wordsOf).join(' ').slice(0, maxArgumentUnits);
