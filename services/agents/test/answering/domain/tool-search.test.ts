import { afterAll, expect, test } from 'vitest';
import { createToolIndex, wordsOfTool } from '../../../src/answering/domain/tool-index.ts';
import { searchName, withToolSearch } from '../../../src/answering/domain/tool-search.ts';
import { tasks } from '../../../src/answering/domain/tool-search-thread.ts';
import { ToolSearcher } from '../../../src/answering/domain/tool-searcher.ts';
import { tokensOfRequest } from '../../../src/models/clients/tokens.ts';
import { questions, toolsOfOffice } from './tool-catalogue.ts';

const toolSearcher = new ToolSearcher();
afterAll(() => toolSearcher.stop());
const withSearch = (equipment: Parameters<typeof withToolSearch>[2]) =>
  withToolSearch({ toolSearcher }, 'acme', equipment);
const words = toolsOfOffice.map(({ offered }) => wordsOfTool(offered));
const index = createToolIndex(words);
const { signal } = new AbortController();
const equipmentOf = (count: number) => ({ instructions: 'Help.', tools: toolsOfOffice.slice(0, count) });

test('the catalogue has 200 tools with 50,000 tokens, and 100 questions', () => {
  const tools = toolsOfOffice.map(({ offered }) => offered);
  expect(new Set(tools.map(({ name }) => name)).size).toBe(200);
  expect(questions).toHaveLength(100);
  expect(tokensOfRequest({ instructions: '', tools, messages: [] })).toBeGreaterThan(50_000);
});

test('for 95 of 100 questions the right tool of 200 is among the ten found', () => {
  const missed = questions.filter(
    ([question, tool]) => !index(question).some((position) => toolsOfOffice[position]!.offered.name === tool),
  );
  expect(missed.map(([question]) => question).slice(5)).toEqual([]);
});

test('no more than ten tools are found, each once', () => {
  for (const [question] of questions) {
    const matches = index(question);
    expect(matches.length).toBeLessThanOrEqual(10);
    expect(new Set(matches).size).toBe(matches.length);
  }
});

test('up to 40 tools go to the model as they are; above that it sees the search', () => {
  expect(withSearch(equipmentOf(40))).toEqual(equipmentOf(40));
  const { tools, searched } = withSearch(equipmentOf(41));
  expect(tools.map(({ offered }) => offered.name)).toEqual([searchName]);
  expect(searched).toHaveLength(41);
});

test('tools that are not external stay in sight', () => {
  const tool = { ...toolsOfOffice[0]!, kind: 'calculator' as const, toolId: 'calculator' };
  const equipment = { instructions: 'Help.', tools: [tool, ...toolsOfOffice.slice(1, 60)] };
  expect(withSearch(equipment).tools.map(({ toolId }) => toolId)).toEqual(['calculator', null]);
});

test('the search names what it found and refuses arguments that do not fit', async () => {
  const [search] = withSearch(equipmentOf(200)).tools;
  if (search?.toolId !== null) throw new Error('there is no search');
  const { text, offers } = await search.run({ query: 'refund a payment' }, signal);
  expect(text).toContain('refund_payment: Pays money back');
  expect(offers?.map(({ offered }) => offered.name)).toContain('refund_payment');
  expect(await search.run({ query: 'xyzzy' }, signal)).toEqual({ text: 'No tool fits. Try other words.' });
  await expect(search.run({ query: '' }, signal)).rejects.toThrow('the arguments do not fit');
});

test('the thread makes an index of a list once, and needs the list again only when it has changed', () => {
  const query = 'refund a payment';
  expect(tasks.find({ listKey: 'first', query })).toBeNull();
  const positions = tasks.find({ listKey: 'first', query, tools: words });
  expect(positions).toEqual(index(query));
  expect(tasks.find({ listKey: 'first', query })).toEqual(positions);
  expect(tasks.find({ listKey: 'second', query })).toBeNull();
});

test('the thread forgets the lists that were searched longest ago, and keeps no list that is far too long', () => {
  const query = 'refund a payment';
  for (let list = 0; list < 210; list += 1)
    tasks.find({ listKey: `short ${list}`, query, tools: words.slice(0, 2) });
  expect(tasks.find({ listKey: 'short 0', query })).toBeNull();
  expect(tasks.find({ listKey: 'short 209', query })).not.toBeNull();
  const description = 'refund '.repeat(700_000);
  expect(tasks.find({ listKey: 'long', query, tools: [{ name: 'pay', description }] })).toEqual([0]);
  expect(tasks.find({ listKey: 'long', query })).toBeNull();
});

test('a tool whose description has changed is searched by its new words', async () => {
  const find = (tools: typeof toolsOfOffice) =>
    toolSearcher.find('acme', tools, { query: 'unicorns', signal });
  expect(await find(toolsOfOffice)).toEqual([]);
  const [first, ...others] = toolsOfOffice;
  const changed = { ...first!, offered: { ...first!.offered, description: 'Counts unicorns.' } };
  expect(await find([changed, ...others])).toEqual([changed]);
});
