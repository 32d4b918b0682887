import { expect, test } from 'vitest';
import { findTools, searchName, withToolSearch } from '../../../src/answering/domain/tool-search.ts';
import { tokensOfRequest } from '../../../src/models/clients/tokens.ts';
import { questions, toolsOfOffice } from './tool-catalogue.ts';

const equipmentOf = (count: number) => ({ instructions: 'Help.', tools: toolsOfOffice.slice(0, count) });

test('the catalogue has 200 tools with 50,000 tokens, and 100 questions', () => {
  const tools = toolsOfOffice.map(({ offered }) => offered);
  expect(new Set(tools.map(({ name }) => name)).size).toBe(200);
  expect(questions).toHaveLength(100);
  expect(tokensOfRequest({ instructions: '', tools, messages: [] })).toBeGreaterThan(50_000);
});

test('for 95 of 100 questions the right tool of 200 is among the ten found', () => {
  const missed = questions.filter(
    ([question, tool]) => !findTools(toolsOfOffice, question).some(({ offered }) => offered.name === tool),
  );
  expect(missed.map(([question]) => question).slice(5)).toEqual([]);
});

test('no more than ten tools are found, each once', () => {
  for (const [question] of questions) {
    const matches = findTools(toolsOfOffice, question);
    expect(matches.length).toBeLessThanOrEqual(10);
    expect(new Set(matches).size).toBe(matches.length);
  }
});

test('up to 40 tools go to the model as they are; above that it sees the search', () => {
  expect(withToolSearch(equipmentOf(40))).toEqual(equipmentOf(40));
  const { tools, searched } = withToolSearch(equipmentOf(41));
  expect(tools.map(({ offered }) => offered.name)).toEqual([searchName]);
  expect(searched).toHaveLength(41);
});

test('tools that are not external stay in sight', () => {
  const tool = { ...toolsOfOffice[0]!, kind: 'calculator' as const, toolId: 'calculator' };
  const equipment = { instructions: 'Help.', tools: [tool, ...toolsOfOffice.slice(1, 60)] };
  expect(withToolSearch(equipment).tools.map(({ toolId }) => toolId)).toEqual(['calculator', null]);
});

test('the search names what it found and refuses arguments that do not fit', async () => {
  const [search] = withToolSearch(equipmentOf(200)).tools;
  if (search?.toolId !== null) throw new Error('there is no search');
  const { signal } = new AbortController();
  const { text, offers } = await search.run({ query: 'refund a payment' }, signal);
  expect(text).toContain('refund_payment: Pays money back');
  expect(offers?.map(({ offered }) => offered.name)).toContain('refund_payment');
  expect(await search.run({ query: 'xyzzy' }, signal)).toEqual({ text: 'No tool fits. Try other words.' });
  await expect(search.run({ query: '' }, signal)).rejects.toThrow('the arguments do not fit');
});
