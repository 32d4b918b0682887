import { randomUUID } from 'node:crypto';
import { type Database, type TenantTx, withTenant } from '@botyard/shared/db/database';
import type { Statement } from '@botyard/shared/db/statement';
import type { TypedSql } from '@botyard/shared/db/typed-sql';
import { ServiceHarness } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { searchChunks } from '../../../src/knowledge/store/context-search.ts';
import { replaceChunks } from '../../../src/knowledge/store/reading.ts';
import { tsvectorOf } from '../../../src/knowledge/store/words.ts';

let harness: ServiceHarness;
let database: Database;
const [acme, globex] = [randomUUID(), randomUUID()];

beforeAll(async () => {
  harness = await ServiceHarness.open();
  database = harness.databaseAs('agents');
  // Others' passages: the same words, many times.
  await harness.asOwner(
    `insert into agents.context_chunks (tenant_id, chunk_id, source_id, position, heading, text, words)
     select ('00000000-0000-0000-0000-' || lpad((n % 50)::text, 12, '0'))::uuid, gen_random_uuid(), gen_random_uuid(), 0, '', '',
       array_to_tsvector(array['the', 'kettle' || n % 200, 'w' || n, 'v' || n % 1000])
     from generate_series(1, 100000) n`,
  );
});
afterAll(() => harness?.close());

async function add(tenantId: string, title: string, passages: readonly string[], heading = '') {
  const sourceId = randomUUID();
  await withTenant(database, [tenantId], async (tx) => {
    await tx.query({
      name: `test.source`,
      text: `insert into agents.context_sources (tenant_id, source_id, title, type, size_bytes, sha256, status, chunk_count)
             values ($1, $2::uuid, $3, 'text', 1, $2::uuid::text, 'ready', $4)`,
      values: [tenantId, sourceId, title, passages.length],
    });
    const chunks = passages.map((text) => ({ heading, text, words: tsvectorOf({ heading, text }) }));
    await replaceChunks(tx, { tenantId, sourceId }, chunks);
  });
  return sourceId;
}

const find = (query: string, more: { sourceIds?: string[]; limit?: number } = {}, tenantId = acme) =>
  withTenant(database, [tenantId], (tx) => searchChunks(tx, tenantId, { query, limit: 5, ...more }));
const textsOf = async (...args: Parameters<typeof find>) => (await find(...args)).map(({ text }) => text);

test('a rare word decides, even if common ones are frequent elsewhere', async () => {
  await add(
    acme,
    'Noise',
    Array.from({ length: 60 }, (_, n) => `how do I do the thing the way I do it ${n}`),
  );
  const warranty = await add(acme, 'Warranty', ['A broken toaster is returned within two years.'], 'Returns');
  const [best, second] = await find('how do I return the broken toasters?');
  expect(best).toMatchObject({
    sourceId: warranty,
    title: 'Warranty',
    heading: 'Returns',
    position: 0,
    text: 'A broken toaster is returned within two years.',
  });
  expect(best!.score).toBeGreaterThan(second!.score * 2);
});

test('a word is found in other forms, cases, accents and scripts', async () => {
  await add(acme, 'Languages', [
    'Die Rückgabe der Kaffeemühle',
    '返品は三十日以内に受け付けます',
    'สินค้าส่งฟรีทั่วประเทศ',
    'Запросы на возврат денег',
  ]);
  expect(await textsOf('ruckgabe')).toEqual(['Die Rückgabe der Kaffeemühle']);
  expect(await textsOf('KAFFEEMÜHLEN')).toEqual(['Die Rückgabe der Kaffeemühle']);
  expect(await textsOf('返品')).toEqual(['返品は三十日以内に受け付けます']);
  expect(await textsOf('возвраты')).toEqual(['Запросы на возврат денег']);
});

test('only the named documents are searched, and only those of the tenant', async () => {
  const [one, two] = [
    await add(acme, 'One', ['the zebra is here']),
    await add(acme, 'Two', ['a zebra is there']),
  ];
  const foreign = await add(globex, 'Foreign', ['a zebra of globex']);
  expect((await find('zebra')).map(({ sourceId }) => sourceId).sort()).toEqual([one, two].sort());
  expect(await textsOf('zebra', { sourceIds: [two] })).toEqual(['a zebra is there']);
  expect(await textsOf('zebra', { sourceIds: [foreign] })).toEqual([]);
  expect(await textsOf('zebra', { limit: 1 })).toHaveLength(1);
  expect(await textsOf('zebra', {}, globex)).toEqual(['a zebra of globex']);
  const crossed = await withTenant(database, [acme], (tx) =>
    searchChunks(tx, globex, { query: 'zebra', limit: 5 }),
  );
  expect(crossed).toEqual([]);
});

test.each([
  "' | * & ! :* ( <-> \\",
  '',
  '🙂🙂',
  "x'; drop table agents.context_chunks; --",
  'a'.repeat(5000),
])('the query %j is harmless', async (query) => expect(Array.isArray(await find(query))).toBe(true));

interface Node {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  Plans?: Node[];
}
const flat = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(flat)];

/** Postgres's plan of a search, with the service's role and row-level security. */
async function planOf(tx: TenantTx, tenantId: string, query: string): Promise<Node[]> {
  const seen: Statement<TypedSql<unknown>>[] = [];
  const spy = {
    ...tx,
    query: async (statement: Statement<TypedSql<unknown>>) => {
      seen.push(statement);
      return [];
    },
  };
  await searchChunks(spy as unknown as TenantTx, tenantId, { query, limit: 10 });
  const [row] = await tx.query<{ 'QUERY PLAN': { Plan: Node }[] }>({
    name: `explain ${query}`,
    text: `explain (format json) ${seen[0]!.text.text}`,
    values: seen[0]!.values,
  });
  return flat(row!['QUERY PLAN'][0]!.Plan);
}

test('among 100,000 passages of many tenants a search reads those with its words, by index, under row-level security', async () => {
  await harness.asOwner('vacuum analyze agents.context_chunks');
  const tenantId = '00000000-0000-0000-0000-000000000007';
  const plan = await withTenant(database, [tenantId], (tx) => planOf(tx, tenantId, 'the kettle7 v507'));
  const scans = plan
    .filter((node) => node['Relation Name'] === 'context_chunks')
    .map((node) => node['Node Type']);
  expect(scans).not.toContain('Seq Scan');
  expect(plan.map((node) => node['Index Name'])).toContain('context_chunks_by_words');
  const begin = performance.now();
  const chunks = await withTenant(database, [tenantId], (tx) =>
    searchChunks(tx, tenantId, { query: 'the kettle7 v507', limit: 10 }),
  );
  process.stdout.write(`search among 100,000 passages: ${(performance.now() - begin).toFixed(1)} ms\n`);
  expect(chunks).toEqual([]);
});
