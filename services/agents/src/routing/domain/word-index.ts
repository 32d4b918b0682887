import SearchableMap from 'minisearch/SearchableMap';
import type { RoutedAgent, RoutedCapability } from '../store/routing-view.ts';
import { getOrInsert } from './words/get-or-insert.ts';
import { isSegmented, type TextLimits, type Token, tokensOf } from './words/tokens.ts';

/** How well an agent's words fit a message, and which words matched. */
interface Match {
  score: number;
  reasons: string[];
}

/** Matches by agent. An agent without an entry doesn't match. */
export type Matches = ReadonlyMap<string, Match>;
export type WordIndex = (message: string) => Matches;

const fields = ['name', 'keywords', 'capabilities', 'description'] as const;
type Field = (typeof fields)[number];
const weights: Readonly<Record<Field, number>> = { name: 4, keywords: 4, capabilities: 2, description: 1 };

/**
 * Limits on the words of a message that are searched for: the first ones, each counted once, so that repeating a word
 * has no effect.
 */
const messageLimits: TextLimits = { units: 2000, words: 100 };
/** Limits for an agent's description, for its keywords, and for its capabilities. */
const agentLimits: TextLimits = { units: 8000, words: 200 };
/** A single word of a long description counts less. */
const plainDescriptionWords = 25;
/** All words of a description together score less than two keywords. */
const maxOfDescription = 6;
/** Below this score no agent fits, and the default answers. */
const minScore = 0.7;
/** Less than the score of an assignment, however many words fit. */
const maxScore = 400;

/**
 * The value of a match: of the same form or stem, of a part of a longer word, of a misspelling, or of a keyword that is
 * a stop word.
 */
const quality = { same: 1, part: 0.7, misspelt: 0.6, stopWord: 0.4 };

/** A word of an agent, with its weight and its agent. */
interface Place {
  agent: number;
  word: string;
  fields: Set<Field>;
  weight: number;
}
interface Terms {
  words: SearchableMap<Place[]>;
  stems: Map<string, Place[]>;
}

/** An index of the agents' words. The order of agents makes no difference. */
export function createWordIndex(
  agents: readonly RoutedAgent[],
  capabilities: readonly RoutedCapability[],
): WordIndex {
  const ordered = byId(agents);
  const terms: Terms = { words: new SearchableMap<Place[]>(), stems: new Map() };
  for (const [index, agent] of ordered.entries()) addAgent(terms, index, agent, capabilities);
  return (message) => {
    const hitsByAgent = new Map<number, Map<string, Hit>>();
    for (const token of tokensOf(message, messageLimits)) {
      for (const hit of hitsOf(terms, token, ordered.length)) {
        const ofAgent = getOrInsert(hitsByAgent, hit.place.agent, () => new Map<string, Hit>());
        const bestHit = ofAgent.get(hit.place.word);
        if (!bestHit || bestHit.score < hit.score) ofAgent.set(hit.place.word, hit);
      }
    }
    const matches = [...hitsByAgent].map(
      ([agent, hits]) => [ordered[agent]!.id, matchOf([...hits.values()])] as const,
    );
    return new Map(matches.filter(([, { score }]) => score >= minScore));
  };
}

interface Hit {
  place: Place;
  score: number;
}

function addAgent(
  terms: Terms,
  index: number,
  agent: RoutedAgent,
  capabilities: readonly RoutedCapability[],
) {
  const places = new Map<string, { place: Place; stems: Set<string> }>();
  const add = (field: Field, tokens: readonly Token[], weight = weights[field]) => {
    for (const { folded, stems } of tokens) {
      const entry = getOrInsert(places, folded, () => ({
        place: { agent: index, word: folded, fields: new Set<Field>(), weight: 0 },
        stems: new Set<string>(),
      }));
      entry.place.fields.add(field);
      entry.place.weight = Math.max(entry.place.weight, weight);
      for (const stem of stems) entry.stems.add(stem);
    }
  };
  const own = byId(capabilities).filter(({ id }) => agent.capabilityIds.includes(id));
  add('name', listed([agent.name]));
  add('keywords', listed(agent.keywords));
  add('capabilities', listed(own.flatMap(({ name, keywords }) => [name, ...keywords])));
  add('capabilities', said(own.map(({ description }) => description).join('\n')));
  const description = said(agent.description);
  add('description', description, Math.min(1, Math.sqrt(plainDescriptionWords / description.length)));
  for (const { place, stems } of places.values()) {
    terms.words.fetch(place.word, () => []).push(place);
    for (const stem of stems) getOrInsert(terms.stems, stem, () => []).push(place);
  }
}

/** The words of names and keywords. Stop words are left out, unless a keyword consists of nothing else. */
function listed(texts: readonly string[]): Token[] {
  let left = agentLimits.words;
  return texts.flatMap((text) => {
    if (left <= 0) return [];
    const tokens = tokensOf(text, { ...agentLimits, words: left }, 'any');
    left -= tokens.length;
    const telling = tokens.filter((token) => !token.isStopWord);
    return telling.length > 0 ? telling : tokens;
  });
}

const said = (text: string): Token[] => tokensOf(text, agentLimits).filter((token) => !token.isStopWord);

/** The places where a word of a message is found: the best place of each agent. */
function hitsOf(terms: Terms, token: Token, agents: number): Hit[] {
  const [places, certainty] = placesOf(terms, token);
  const best = new Map<number, Place>();
  for (const place of places) {
    const bestPlace = best.get(place.agent);
    if (!bestPlace || bestPlace.weight < place.weight) best.set(place.agent, place);
  }
  const all = [...best.values()];
  const strong = all.filter(isStrong).length;
  return all.flatMap((place) => {
    const share = isStrong(place)
      ? Math.max(tellingShare(strong, agents), agents < fewAgents ? shareOfFew : 0)
      : tellingShare(all.length, agents);
    const score = place.weight * certainty * share;
    return score > 0 ? [{ place, score }] : [];
  });
}

const isStrong = ({ weight }: Place): boolean => weight > weights.description;

/** With so few agents, a keyword that most of them have is intentional: they tie. */
const fewAgents = 4;
const shareOfFew = 0.25;

/** 1 for a word that only one agent has, 0 for one that most of them have. */
function tellingShare(holders: number, agents: number): number {
  if (agents < 2 || holders <= 1) return 1;
  if (holders > agents / 2) return 0;
  return 1 - Math.log(holders) / Math.log(agents);
}

function placesOf(terms: Terms, { folded, stems, isStopWord }: Token): [Place[], number] {
  const same = terms.words.get(folded) ?? [];
  if (isStopWord) {
    const isTooShort = folded.length < (/\p{Script=Latin}/u.test(folded) ? 4 : 2);
    const keywords = same.filter(({ fields: where }) => where.has('keywords'));
    return [isTooShort ? [] : keywords, quality.stopWord];
  }
  const forms = [...same, ...stems.flatMap((stem) => terms.stems.get(stem) ?? [])];
  if (forms.length > 0) return [forms, quality.same];
  if (!/\p{L}/u.test(folded)) return [[], 0];
  const parts = partsOf(terms, folded);
  if (parts.length > 0) return [parts, quality.part];
  return [misspellingsOf(terms, folded), quality.misspelt];
}

/** Words that begin or end with this one, as in compounds, and words with the same beginning and another ending. */
function partsOf(terms: Terms, word: string): Place[] {
  const units = leastPart(word);
  const lengths = Array.from(
    { length: Math.max(0, word.length - units) },
    (_, more) => word.length - 1 - more,
  );
  for (const length of lengths) {
    const begin = strongAt(terms, word.slice(0, length));
    if (begin.length > 0) return begin;
  }
  for (const length of lengths) {
    const end = length > units ? strongAt(terms, word.slice(-length)) : [];
    if (end.length > 0) return end;
  }
  if (isSegmented(word) || word.length < 5) return [];
  const stem = word.slice(0, Math.max(5, word.length - 3));
  const places: Place[] = [];
  for (const [term, found] of terms.words.atPrefix(stem)) {
    if (term.length <= word.length + 3) places.push(...found);
    if (places.length >= maxSimilar) break;
  }
  return places;
}

const strongAt = (terms: Terms, word: string): Place[] => (terms.words.get(word) ?? []).filter(isStrong);

/** Shorter beginnings and endings occur in too many words. */
function leastPart(word: string): number {
  if (isSegmented(word) || /\p{Script=Hangul}/u.test(word)) return 2;
  return /\p{Script=Arabic}|\p{Script=Hebrew}/u.test(word) ? 3 : 5;
}

const maxSimilar = 200;
const misspeltUnits = 6;

function misspellingsOf(terms: Terms, word: string): Place[] {
  if (word.length < misspeltUnits || isSegmented(word)) return [];
  return [...terms.words.fuzzyGet(word, 1)].flatMap(([term, [places]]) =>
    term[0] === word[0] ? places.filter(isStrong) : [],
  );
}

function matchOf(hits: readonly Hit[]): Match {
  const [strong, weak] = [
    hits.filter(({ place }) => isStrong(place)),
    hits.filter(({ place }) => !isStrong(place)),
  ];
  const score = sum(strong) + Math.min(sum(weak), maxOfDescription);
  return { score: Math.min(Math.round(score * 1e6) / 1e6, maxScore), reasons: reasonsOf(hits) };
}

const sum = (hits: readonly Hit[]): number =>
  hits
    .map(({ score }) => score)
    .toSorted((left, right) => left - right)
    .reduce((all, score) => all + score, 0);

/** `keywords: refund, invoice`, in a fixed order of fields and words. */
function reasonsOf(hits: readonly Hit[]): string[] {
  return fields.flatMap((field) => {
    const words = hits.flatMap(({ place }) => (place.fields.has(field) ? [place.word] : [])).sort();
    return words.length > 0 ? [`${field}: ${words.join(', ')}`] : [];
  });
}

export const byId = <Item extends { id: string }>(items: readonly Item[]): Item[] =>
  items.toSorted((left, right) => (left.id < right.id ? -1 : 1));
