/** Runs in its own thread, which keeps the indexes of the lists that were searched last. */
import { serveTasks } from '@botyard/shared/work/thread-tasks';
import { LRUCache } from 'lru-cache';
import { createToolIndex, type ToolIndex, type ToolWords } from './tool-index.ts';

const maxIndexes = 200;
/** The most text that all indexes are made of, in UTF-16 units. An index takes about ten times as much memory. */
const maxIndexedUnits = 4_000_000;

const indexes = new LRUCache<string, ToolIndex>({ max: maxIndexes, maxSize: maxIndexedUnits });

/** A search in a list of tools. The list is only needed the first time. */
interface Search {
  listKey: string;
  query: string;
  tools?: readonly ToolWords[];
}

export const tasks = {
  /** Positions in the list; `null` if its index isn't kept here. */
  find: ({ listKey, query, tools }: Search): number[] | null => {
    const index = indexes.get(listKey) ?? (tools && createToolIndex(tools));
    if (!index) return null;
    if (tools) indexes.set(listKey, index, { size: unitsOf(tools) });
    return index(query);
  },
};

const unitsOf = (tools: readonly ToolWords[]): number =>
  tools.reduce((sum, { name, description }) => sum + name.length + description.length, 1);

serveTasks(tasks);
