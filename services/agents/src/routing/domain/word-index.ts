import { createHash } from 'node:crypto';
import { registryRefreshed } from '@botyard/contracts/events/agents';
import { watch } from '@botyard/shared/bus/broadcast';
import type { Bus } from '@botyard/shared/bus/bus';
import { LRUCache } from 'lru-cache';
import MiniSearch from 'minisearch';
import type { RoutedAgent, RoutedCapability } from '../store/routing-view.ts';

/** How well an agent's words fit a message, and which did. */
export interface Match {
  score: number;
  reasons: string[];
}

/** By agent; who isn't in it fits not at all. */
export type Matches = ReadonlyMap<string, Match>;
export type WordIndex = (message: string) => Matches;

const fields = ['name', 'keywords', 'capabilities', 'description'] as const;
const boost = { name: 3, keywords: 4, capabilities: 2, description: 1 };

/** Words of a message that are looked for: the first, each once, so that nothing is won by saying a word often. */
const maxUnits = 2000;
const maxWords = 100;
/** Below what an assignment adds, however many words fit. */
const maxScore = 400;

/** An index over what is said of agents. The order of agents makes no difference. */
export function createWordIndex(
  agents: readonly RoutedAgent[],
  capabilities: readonly RoutedCapability[],
): WordIndex {
  const index = new MiniSearch<Record<string, string>>({
    fields: [...fields],
    idField: 'id',
    processTerm: (term) => term.normalize('NFKC').toLowerCase(),
  });
  index.addAll(byId(agents).map((agent) => documentOf(agent, capabilities)));
  return (message) => {
    const results = index.search(wordsOf(message), {
      boost,
      prefix: (term) => term.length >= 5,
      fuzzy: (term) => (term.length >= 6 ? 0.15 : false),
    });
    return new Map(
      results.map(({ id, score, match }) => [
        id as string,
        { score: Math.min(score, maxScore), reasons: reasonsOf(match) },
      ]),
    );
  };
}

function documentOf(agent: RoutedAgent, capabilities: readonly RoutedCapability[]): Record<string, string> {
  const own = byId(capabilities).filter(({ id }) => agent.capabilityIds.includes(id));
  return {
    id: agent.id,
    name: agent.name,
    description: agent.description,
    keywords: agent.keywords.join(' '),
    capabilities: own
      .flatMap(({ name, description, keywords }) => [name, description, ...keywords])
      .join(' '),
  };
}

function wordsOf(message: string): string {
  const tokenize = MiniSearch.getDefault('tokenize');
  const words = tokenize(message.slice(0, maxUnits).toWellFormed().toLowerCase());
  return [...new Set(words)].slice(0, maxWords).join(' ');
}

/** `keywords: refund, invoice`, in a fixed order of fields and words. */
function reasonsOf(match: Readonly<Record<string, string[]>>): string[] {
  return fields.flatMap((field) => {
    const words = Object.entries(match)
      .filter(([, matchedFields]) => matchedFields.includes(field))
      .map(([word]) => word)
      .sort();
    return words.length > 0 ? [`${field}: ${words.join(', ')}`] : [];
  });
}

const byId = <Item extends { id: string }>(items: readonly Item[]): Item[] =>
  items.toSorted((left, right) => (left.id < right.id ? -1 : 1));

/** Gives the index over these agents: makes it, or has it already. */
export type IndexFor = (
  agents: readonly RoutedAgent[],
  capabilities: readonly RoutedCapability[],
) => WordIndex;

export interface WordIndexes {
  of(tenantId: string): IndexFor;
}

const maxIndexes = 2000;
/** Text that all kept indexes are made of, in UTF-16 units; an index takes about ten times as much memory. */
const maxIndexedUnits = 5_000_000;

/**
 * Remembers indexes: over the same versions of the same agents and capabilities none is made twice. Dropped in all instances
 * when somebody asks for that.
 */
export function createWordIndexes(bus: Bus): WordIndexes {
  const known = new LRUCache<string, { tenantId: string; index: WordIndex }>({
    max: maxIndexes,
    maxSize: maxIndexedUnits,
  });
  watch(bus, registryRefreshed, {
    onEvent: ({ tenantId }) => {
      for (const [key, entry] of known.entries()) if (entry.tenantId === tenantId) known.delete(key);
    },
    onGap: () => known.clear(),
  });
  return {
    of: (tenantId) => (agents, capabilities) => {
      const key = keyOf(agents, capabilities);
      const index = known.get(key)?.index ?? createWordIndex(agents, capabilities);
      const size = unitsOf(agents) + unitsOf(capabilities);
      if (size <= maxIndexedUnits && !known.has(key)) known.set(key, { tenantId, index }, { size });
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
