import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { triage } from '../../../src/routing/domain/triage.ts';
import { createWordIndex } from '../../../src/routing/domain/word-index.ts';
import { agent } from './routed.ts';

interface Described {
  id: string;
  name: string;
  description: string;
  keywords: string[];
}
interface Catalogues {
  forty: Described[];
  ten: string[];
  three: string[];
  /** By language, each agent described in that language alone. */
  native: Record<string, Described[]>;
}
interface Labelled {
  language: string;
  message: string;
  /** `null` when nobody fits, so that the default answers. */
  agentId: string | null;
  catalogues: (keyof Catalogues)[];
}
interface Judged extends Labelled {
  catalogue: keyof Catalogues;
  chosen: string | null;
  score: number;
}

const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../labelled/${name}.json`, import.meta.url), 'utf8'));
const catalogues = read('catalogues') as Catalogues;
const messages = read('messages') as Labelled[];

/** More than one keyword scores: an agent that is chosen by it is chosen for certain. */
const highScore = 6;
const desk = agent('desk', [], { name: 'Front desk', description: 'Welcomes everybody.' });

function agentsOf(catalogue: keyof Catalogues, language: string) {
  const listed = catalogue === 'forty' || catalogue === 'native' ? undefined : catalogues[catalogue];
  const all = catalogue === 'native' ? (catalogues.native[language] ?? []) : catalogues.forty;
  return [
    desk,
    ...all
      .filter(({ id }) => listed?.includes(id) ?? true)
      .map(({ id, keywords, ...more }) => agent(id, keywords, more)),
  ];
}

function judge({ message, ...labelled }: Labelled): Judged[] {
  return labelled.catalogues.map((catalogue) => {
    const routing = { assignments: [], capabilities: [] };
    const agents = agentsOf(catalogue, labelled.language);
    const place = { language: null, addressed: null, stickyAgentId: null };
    const { agentId, candidates } = triage({ message, agents, routing, ...place }, createWordIndex);
    const chosen = agentId === desk.id ? null : agentId;
    return { ...labelled, message, catalogue, chosen, score: candidates[0]?.score ?? 0 };
  });
}

const judged = messages.flatMap(judge);
const isWrong = ({ agentId, chosen }: Judged): boolean => agentId !== chosen;
const shareRight = (of: readonly Judged[]): number => 1 - of.filter(isWrong).length / of.length;

function print(by: 'catalogue' | 'language') {
  const parts = Object.entries(Object.groupBy(judged, (one) => one[by]));
  const figures = parts.map(
    ([name, of = []]) => `${name} ${(100 * shareRight(of)).toFixed(1)} % of ${of.length}`,
  );
  process.stdout.write(`right by ${by}: ${figures.join(', ')}\n`);
}

describe('labelled messages', () => {
  test('there are at least 150 in eight languages, for catalogues of 3, 10 and 40 agents', () => {
    expect(messages.length).toBeGreaterThanOrEqual(150);
    expect(new Set(messages.map(({ language }) => language)).size).toBe(8);
    expect(new Set(messages.map(({ message }) => message)).size).toBe(messages.length);
    expect([catalogues.three.length, catalogues.ten.length, catalogues.forty.length]).toEqual([3, 10, 40]);
    const agentIds = new Set(
      [catalogues.forty, ...Object.values(catalogues.native)].flat().map(({ id }) => id),
    );
    expect(messages.filter(({ agentId }) => agentId !== null && !agentIds.has(agentId))).toEqual([]);
  });

  test('at least 92 % of them reach the agent that fits, in every catalogue and language', () => {
    print('catalogue');
    print('language');
    const wrong = judged.filter(isWrong);
    const confusion = wrong.map(
      (one) =>
        `${one.catalogue} ${one.language}: ${one.agentId} -> ${one.chosen} (${one.score}) ${one.message}`,
    );
    process.stdout.write(`confused:\n${confusion.join('\n')}\n`);
    for (const by of ['catalogue', 'language'] as const)
      for (const [name, of = []] of Object.entries(Object.groupBy(judged, (one) => one[by])))
        expect(shareRight(of), name).toBeGreaterThanOrEqual(0.92);
  });

  test('none is routed to the wrong agent with a high score', () => {
    expect(judged.filter((one) => isWrong(one) && one.chosen !== null && one.score >= highScore)).toEqual([]);
  });
});
