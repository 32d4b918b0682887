import { createHash } from 'node:crypto';
import { registryRefreshed } from '@botyard/contracts/events/agents';
import { watch } from '@botyard/shared/bus/broadcast';
import type { Bus } from '@botyard/shared/bus/bus';
import { LRUCache } from 'lru-cache';
import type { RoutedAgent, RoutedCapability } from '../store/routing-view.ts';
import { byId, createWordIndex, type WordIndex } from './word-index.ts';

/** Returns the index of these agents, which is created or cached. */
export type IndexFor = (
  agents: readonly RoutedAgent[],
  capabilities: readonly RoutedCapability[],
) => WordIndex;

export interface WordIndexes {
  of(tenantId: string): IndexFor;
}

const maxIndexes = 2000;
/**
 * The most text that all cached indexes are made of, in UTF-16 units. An index takes about ten times as much memory.
 */
const maxIndexedUnits = 5_000_000;

/** Caches word indexes by the versions of agents and capabilities. All instances drop them on request. */
export function createWordIndexes(bus: Bus): WordIndexes {
  const cachedIndexes = new LRUCache<string, { tenantId: string; index: WordIndex }>({
    max: maxIndexes,
    maxSize: maxIndexedUnits,
  });
  watch(bus, registryRefreshed, {
    onEvent: ({ tenantId }) => {
      for (const [key, entry] of cachedIndexes.entries())
        if (entry.tenantId === tenantId) cachedIndexes.delete(key);
    },
    onGap: () => cachedIndexes.clear(),
  });
  return {
    of: (tenantId) => (agents, capabilities) => {
      const key = keyOf(agents, capabilities);
      const index = cachedIndexes.get(key)?.index ?? createWordIndex(agents, capabilities);
      const size = unitsOf(agents) + unitsOf(capabilities);
      if (size <= maxIndexedUnits && !cachedIndexes.has(key))
        cachedIndexes.set(key, { tenantId, index }, { size });
      return index;
    },
  };
}

function keyOf(agents: readonly RoutedAgent[], capabilities: readonly RoutedCapability[]): string {
  const versions = [...byId(agents), ...byId(capabilities)].map(({ id, version }) => `${id}:${version}`);
  return createHash('sha256').update(versions.join()).digest('base64');
}

const unitsOf = (items: readonly (RoutedAgent | RoutedCapability)[]): number =>
  items.reduce(
    (sum, { name, description, keywords }) =>
      sum + name.length + description.length + keywords.join().length + 1,
    1,
  );
