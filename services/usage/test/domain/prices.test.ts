import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceHarness } from '@botyard/testing/service-harness';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPrices, PriceTable, readPrices } from '../../src/domain/prices.ts';
import { startUsage } from '../usage-services.ts';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'botyard-prices-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const price = (change: object = {}) => ({
  provider: 'openai',
  model: 'large',
  effectiveFrom: '2026-01-01',
  input: 1_000_000,
  output: 2_000_000,
  ...change,
});
const table = (...prices: object[]) => PriceTable.parse({ asOf: '2026-01-01', source: 'test', prices });
const use = (change: object = {}) => ({
  provider: 'openai',
  model: 'large',
  inputTokens: 10,
  outputTokens: 1,
  day: '2026-11-21',
  ...change,
});

test('a cost is the exact product, rounded once to the nearest micro-USD, for any sizes', () => {
  const amount = fc.integer({ min: 0, max: 1_000_000_000 });
  const rate = fc.integer({ min: 0, max: 200_000_000 });
  fc.assert(
    fc.property(amount, amount, rate, rate, (inputTokens, outputTokens, input, output) => {
      const cost = createPrices(table(price({ input, output })))(use({ inputTokens, outputTokens }));
      const exact = BigInt(inputTokens) * BigInt(input) + BigInt(outputTokens) * BigInt(output);
      const offBy = BigInt(cost ?? -1) * 1_000_000n - exact;
      expect(offBy > -500_000n && offBy <= 500_000n).toBe(true);
    }),
  );
});

test.each([
  ['2025-12-31', null],
  ['2026-01-01', 12],
  ['2026-05-31', 12],
  ['2026-06-01', 6],
])('on %s the price of that day counts: %s', (day, cost) => {
  const costOf = createPrices(
    table(price({ effectiveFrom: '2026-06-01', input: 500_000, output: 1e6 }), price()),
  );
  expect(costOf(use({ day }))).toBe(cost);
});

test('the most exact name counts, and one that applies only later does not', () => {
  const costOf = createPrices(
    table(
      price({ model: 'large*', input: 0, output: 1e6 }),
      price({ model: 'large-20*', input: 0, output: 2e6 }),
      price({ model: 'large-2024', input: 0, output: 3e6 }),
      price({ model: 'large-2030', input: 0, output: 4e6, effectiveFrom: '2030-01-01' }),
    ),
  );
  const models = ['large', 'large-x', 'large-2025', 'large-2024', 'large-2030', 'larg'];
  expect(models.map((model) => costOf(use({ model })))).toEqual([1, 1, 2, 3, 2, null]);
});

test('a model, a provider or nothing that has no price costs null, not 0; a price of 0 costs 0', () => {
  const costOf = createPrices(table(price(), price({ model: 'free', input: 0, output: 0 })));
  expect(costOf(use({ model: 'other' }))).toBeNull();
  expect(costOf(use({ provider: 'private-llm' }))).toBeNull();
  expect(costOf(use({ provider: null, model: null }))).toBeNull();
  expect(costOf(use({ model: 'free' }))).toBe(0);
  expect(costOf(use({ model: 'constructor', provider: '__proto__' }))).toBeNull();
});

test("the repository's table is read when no file is named, and knows a small model's price by its dated name", async () => {
  const costOf = await readPrices(undefined);
  const million = { inputTokens: 1_000_000, outputTokens: 1_000_000 };
  expect(costOf(use({ model: 'gpt-4o-mini-2024-07-18', ...million }))).toBe(750_000);
  expect(costOf(use({ model: 'gpt-4o', day: '2024-09-01', ...million }))).toBe(20_000_000);
  expect(costOf(use({ provider: 'anthropic', model: 'claude-sonnet-4-5-20250929', ...million }))).toBe(
    18_000_000,
  );
  expect(costOf(use({ model: 'gpt-4o-audio-preview', ...million }))).toBeNull();
});

test('a file of your own replaces the whole table', async () => {
  const file = join(dir, 'own.json');
  await writeFile(
    file,
    JSON.stringify(table(price({ provider: 'private-llm', model: '*'.padStart(2, 'q') }))),
  );
  const costOf = await readPrices(file);
  expect(costOf(use({ provider: 'private-llm', model: 'qwen' }))).toBe(12);
  expect(costOf(use({ model: 'gpt-4o' }))).toBeNull();
});

const faulty: readonly [string, unknown, RegExp][] = [
  ['no JSON', '{', /is no JSON/],
  ['no table', '[]', /the file: /],
  [
    'a price without a number',
    JSON.stringify({ ...table(), prices: [price({ input: '1' })] }),
    /prices\.0\.input: /,
  ],
  ['a fraction', JSON.stringify({ ...table(), prices: [price({ output: 0.5 })] }), /prices\.0\.output: /],
  [
    'a negative price',
    JSON.stringify({ ...table(), prices: [price({ output: -1 })] }),
    /prices\.0\.output: /,
  ],
  [
    'no date',
    JSON.stringify({ ...table(), prices: [price({ effectiveFrom: 'May' })] }),
    /prices\.0\.effectiveFrom: /,
  ],
  ['a misspelt field', JSON.stringify({ ...table(), prices: [price({ modle: 'x' })] }), /prices\.0: /],
  ['a price twice', JSON.stringify({ ...table(), prices: [price(), price()] }), /prices\.1: is there twice/],
  [
    'a star in the middle',
    JSON.stringify({ ...table(), prices: [price({ model: 'a*b' })] }),
    /prices\.0\.model: /,
  ],
];

test.each(faulty)(
  '%s ends the start with one line that names the setting and the place',
  async (name, content, text) => {
    const file = join(dir, `${name.replaceAll(' ', '-')}.json`);
    await writeFile(file, String(content));
    const failure = await readPrices(file).then(
      () => new Error('it was read'),
      (error: Error) => error,
    );
    expect(failure.name).toBe('ConfigError');
    expect(failure.message).toMatch(/^invalid settings: PRICES_FILE: .+$/);
    expect(failure.message).toMatch(text);
  },
);

test('a file that is not there ends the start, too', async () => {
  await expect(readPrices(join(dir, 'missing.json'))).rejects.toThrow(
    /PRICES_FILE: can't be read \(ENOENT\)/,
  );
});

test('the service does not start with a table that it can not read', async () => {
  const harness = await ServiceHarness.open();
  const starting = startUsage(harness, { env: { PRICES_FILE: join(dir, 'missing.json') } });
  await expect(starting).rejects.toThrow('invalid settings: PRICES_FILE');
  await harness.close();
});
