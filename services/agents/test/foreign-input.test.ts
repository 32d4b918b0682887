import { leastCpuMs } from '@botyard/testing/cpu-time';
import { maxGrowth, measureGrowth } from '@botyard/testing/growth';
import { describe, expect, test } from 'vitest';
import { faultsOf, whyUnkept } from '../src/apps/domain/spec-faults.ts';
import { masked } from '../src/external-tools/domain/calls/arguments.ts';
import { passagesOf } from '../src/knowledge/domain/chunks.ts';
import { contentOfFile } from '../src/knowledge/domain/content.ts';
import { readPage } from '../src/knowledge/domain/texts/page-text.ts';
import { tsqueriesOf, tsvectorOf } from '../src/knowledge/store/words.ts';
import { readAddress } from '../src/routing/domain/address.ts';
import { assignmentsFor } from '../src/routing/domain/assignment.ts';
import { plainName, SaidWords } from '../src/routing/domain/plain-words.ts';
import { takeRoutes } from '../src/routing/domain/routes-of-apps.ts';
import { createWordIndex } from '../src/routing/domain/word-index.ts';

interface Reader {
  units: readonly string[];
  /** The smallest of four; each of the others is twice as large as the one before. */
  size: number;
  read: (text: string) => unknown;
}

const repeat = (unit: string, size: number): string => unit.repeat(Math.ceil(size / unit.length));
const list = (text: string): unknown[] => JSON.parse(`[${text.slice(0, -1)}]`);

const wordUnits = ['a', 'a ', ' ', '漢', '漢 ', '\u0301', 'ﷺ', 'İ', '\ud800', '\u200b', 'a-', '-'];
const textUnits = ['\n', '\n ', '. ', '."', "'", '。', '\t'];
const manyWords = Array.from({ length: 50 }, (_, n) => `word ${n} `.repeat((n % 5) + 1).trim());
const described = (description: string) =>
  ({
    id: description.slice(0, 1),
    name: 'a',
    description,
    keywords: [description],
    capabilityIds: [],
  }) as never;
const wordIndex = createWordIndex([described('hello there'), described('goodbye')], []);
const route = (words: unknown) => ({ name: 'a', agent: 'a', when: { match: 'words', words } });

const readers: Record<string, Reader> = {
  'whether a message says a phrase': {
    units: wordUnits,
    size: 5000,
    read: (text) => new SaidWords(text).says('hello there'),
  },
  'many phrases of many lengths': {
    units: wordUnits,
    size: 1000,
    read: (text) => {
      const said = new SaidWords(text);
      return manyWords.map((word) => said.says(word));
    },
  },
  'whose words fit a message': { units: wordUnits, size: 250, read: wordIndex },
  "an agent's words": {
    units: wordUnits,
    size: 1000,
    read: (text) => createWordIndex([described(text)], []),
  },
  'a name': { units: wordUnits, size: 5000, read: plainName },
  'whom a message is for': {
    units: wordUnits,
    size: 2500,
    read: (text) => readAddress(`/agent ${text}`, [{ name: 'Anna', isEnabled: true } as never]),
  },
  'a page': {
    units: ['<p> ', '<b>', '</b>', '<a ', '<!--', '&', '<h1>', '<li>', ' \n'],
    size: 8000,
    read: (text) => readPage(Buffer.from(text), 'text/html'),
  },
  'a page of text': {
    units: textUnits,
    size: 32_000,
    read: (text) => readPage(Buffer.from(text), 'text/plain'),
  },
  'a file': {
    units: [...textUnits, '<html', '%PDF', '\ud800'],
    size: 100_000,
    read: (text) => contentOfFile({ bytes: Buffer.from(text), contentType: 'text/plain' }),
  },
  'the type of a file': {
    units: ['a;', ' ', 'charset=', '"'],
    size: 2000,
    read: (text) => {
      try {
        return contentOfFile({ bytes: Buffer.from('a'), contentType: text });
      } catch (error) {
        return error;
      }
    },
  },
  passages: {
    units: [...wordUnits, ...textUnits],
    size: 12_500,
    read: (text) => passagesOf([{ heading: '', text }]),
  },
  'the words of a passage': {
    units: wordUnits,
    size: 1000,
    read: (text) => tsvectorOf({ heading: '', text }),
  },
  'the words of a query': { units: wordUnits, size: 1000, read: tsqueriesOf },
  'the routes of a spec': {
    units: ['1,', '{},', '{"name":"a"},', '[],'],
    size: 5000,
    read: (text) => faultsOf({ specVersion: 1, routes: list(text) }),
  },
  'the words of a route': {
    units: ['1,', '"a",', '"",', '{},'],
    size: 5000,
    read: (text) => faultsOf({ specVersion: 1, routes: [route(list(text))] }),
  },
  'whether a spec can be kept': {
    units: ['1,', '[],', '{},', '[[[1]]],'],
    size: 12_500,
    read: (text) => whyUnkept(list(text)),
  },
  'arguments that are shown': {
    units: ['"a",', '{"token":"a"},', '"eyJ-",', '1,'],
    size: 5000,
    read: (text) => masked(JSON.stringify({ a: list(text) })),
  },
};

describe('C-02: the cost of reading messages, pages, files and specs is proportional to their length', () => {
  test.each(Object.entries(readers))('%s', async (_name, { units, size, read }) => {
    const grown: string[] = [];
    for (const unit of units) {
      const { ms, perByte } = await measureGrowth({ make: (wanted) => repeat(unit, wanted), read, size });
      if (perByte >= maxGrowth)
        grown.push(`${JSON.stringify(unit)}: ${perByte.toFixed(1)} (${ms.join(', ')} ms)`);
    }
    expect(grown).toEqual([]);
  });
});

/** The least of several, because everything else on the machine only adds. */
describe('C-02: the most that a tenant can set up, for the longest message', () => {
  const message = 'a b '.repeat(15_000);
  const keywords = Array.from({ length: 50 }, (_, n) => `${'a b '.repeat(n % 24)}c`);

  test('100 assignments of 50 keywords are looked through in some milliseconds', () => {
    const assignments = Array.from({ length: 100 }, () => ({ keywords, language: null }) as never);
    expect(leastCpuMs(() => assignmentsFor(assignments, { message, language: null }))).toBeLessThan(60);
  });

  test('200 routes of 50 words are looked through in some milliseconds', () => {
    const routes = Array.from({ length: 200 }, () => ({
      name: 'a',
      agent: 'a',
      where: {},
      priority: 0,
      when: { match: 'words', words: keywords },
    }));
    const app = { spec: { agents: [], routes }, place: {}, agents: [], binding: {} } as never;
    expect(leastCpuMs(() => takeRoutes([app], { message, language: null }))).toBeLessThan(120);
  });

  test('a spec of too many values is refused before it is parsed', () => {
    const words = Array.from({ length: 30_000 }, () => 'a');
    expect(whyUnkept({ specVersion: 1, routes: [route(words)] })).toMatch(/25000 values/);
  });
});
