import { randomUUID } from 'node:crypto';
import { type Database, type TenantTx, withTenant } from '@botyard/shared/db/database';
import { type Statement, toNumbered } from '@botyard/shared/db/statement';
import type { TypedSql } from '@botyard/shared/db/typed-sql';
import { ServiceHarness } from '@botyard/testing/service-harness';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LogFilter, listLogEntries } from '../../src/store/log-entries.ts';
import { getQuotaUse } from '../../src/store/quotas.ts';
import { holdReservation, sumReserved } from '../../src/store/reservations.ts';
import { sumUse, sumUseByGroup } from '../../src/store/sums.ts';

let harness: ServiceHarness;
let database: Database;
const [tenantId, botId, agentId] = [randomUUID(), randomUUID(), randomUUID()];
const month = { start: new Date('2026-11-01'), end: new Date('2026-12-01') };

/** Enough that reading everything costs more than an index, and kinds that are rare in it. */
beforeAll(async () => {
  harness = await ServiceHarness.open();
  database = harness.databaseAs('usage');
  await harness.asOwner(
    `insert into usage.log_entries select $1, gen_random_uuid(), $1,
       case when n % 1000 = 0 then $2::uuid else gen_random_uuid() end,
       case when n % 1000 = 1 then $3::uuid else gen_random_uuid() end,
       case when n % 1000 = 2 then 'openai' else 'private-llm' end, 'model ' || n % 1000,
       case when n % 1000 = 3 then 'tenant' else 'platform' end, null,
       case when n % 1000 = 4 then 'apologized' else 'answered' end, 1, 1, 0, null, false, 1,
       timestamptz '2025-12-01' + n * interval '5 minutes' from generate_series(1, 100000) n`,
    [tenantId, botId, agentId],
  );
  await harness.asOwner(
    `insert into usage.counters select $1, date '2025-12-01' + n % 360, gen_random_uuid(), null, null, null, 'platform',
       1, 1, 1, 0, null, now(), 1 from generate_series(1, 30000) n`,
    [tenantId],
  );
  await harness.asOwner(
    `insert into usage.reservations select $1, gen_random_uuid(), 1, 1, 1, 0,
       now() + case when n % 1000 = 0 then 1 else -1 end * interval '1 minute' from generate_series(1, 20000) n`,
    [tenantId],
  );
  await harness.asOwner(
    `insert into usage.quota_use select $1, timestamptz '2000-01-01' + n * interval '1 day', 1, 1, 1, 0, null, 0
     from generate_series(1, 5000) n`,
    [tenantId],
  );
  for (const table of ['log_entries', 'counters', 'reservations', 'quota_use'])
    await harness.asOwner(`vacuum analyze usage.${table}`);
});
afterAll(() => harness?.close());

interface Node {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  Plans?: Node[];
}

/** Postgres's plan of the statements of a store function, with the service's role and row-level security. */
async function planOf(run: (tx: TenantTx) => Promise<unknown>): Promise<Node[]> {
  const statements: { text: string; values: unknown[] }[] = [];
  return await withTenant(database, [tenantId], async (tx) => {
    const seen = (text: string, values: unknown[]) => statements.push({ text, values });
    const session = tx.db as unknown as {
      $client: { query: (query: { text: string }, values: unknown[]) => unknown };
    };
    const { query } = session.$client;
    session.$client.query = (statement, values) => {
      seen(statement.text, values ?? (statement as { values?: unknown[] }).values ?? []);
      return query.call(session.$client, statement, values);
    };
    const ways = ['query', 'first', 'one', 'has', 'count'] as const;
    const noting = ways.map((way) => {
      const value = (statement: Statement<TypedSql<unknown>>) => {
        const { text, values } = toNumbered(statement);
        seen(text, values);
        return tx[way](statement);
      };
      return [way, { value }] as const;
    });
    await run(Object.create(tx, Object.fromEntries(noting)));
    session.$client.query = query;
    const plans: Node[] = [];
    for (const { text, values } of statements) {
      const [row] = (
        (await query.call(session.$client, { text: `explain (format json) ${text}` }, values)) as {
          rows: { 'QUERY PLAN': { Plan: Node }[] }[];
        }
      ).rows;
      plans.push(...flat(row!['QUERY PLAN'][0]!.Plan));
    }
    expect(plans.length).toBeGreaterThan(0);
    return plans;
  });
}

const flat = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(flat)];
const scansOf = (plan: Node[]) =>
  plan.filter((node) => node['Relation Name']).map((node) => `${node['Node Type']} ${node['Relation Name']}`);

/** Uses the index of the wanted rows: any other would read and discard rows of others. */
const filters: readonly [string, LogFilter, string][] = [
  ['nothing', {}, 'log_entries_by_time'],
  ['bot', { botId }, 'log_entries_by_bot'],
  ['agent', { agentId }, 'log_entries_by_agent'],
  ['provider', { provider: 'openai' }, 'log_entries_by_provider'],
  ['model', { model: 'model 7' }, 'log_entries_by_model'],
  ['key source', { keySource: 'tenant' }, 'log_entries_by_key_source'],
  ['outcome', { outcome: 'apologized' }, 'log_entries_by_outcome'],
  ['time', { from: month.start, to: month.end }, 'log_entries_by_time'],
  ['bot and time', { botId, from: month.start, to: month.end }, 'log_entries_by_bot'],
];

test.each(filters)(
  'a page of the log by %s, and the one after it, is read by its index',
  async (_name, filter, index) => {
    const [first, next] = [undefined, uuidv7()];
    for (const before of [first, next]) {
      const plan = await planOf((tx) => listLogEntries(tx, tenantId, { ...filter, limit: 10, before }));
      const indexes = plan.flatMap((node) => node['Index Name'] ?? []);
      expect(indexes.filter((name) => name !== 'log_entries_tenant_id_turn_id_pk')).toEqual([index]);
      expect(scansOf(plan).filter((scan) => scan.startsWith('Seq'))).toEqual([]);
    }
  },
);

test('own keys, of three kinds, are found by index too', async () => {
  const plan = await planOf((tx) => listLogEntries(tx, tenantId, { keySource: 'own', limit: 100 }));
  expect(scansOf(plan).filter((scan) => scan.startsWith('Seq'))).toEqual([]);
});

test.each([
  ["a month's sums", (tx: TenantTx) => sumUse(tx, tenantId, month)],
  [
    "a month's series",
    (tx: TenantTx) => sumUseByGroup(tx, tenantId, { span: month, groupBy: ['day', 'bot'], limit: 10 }),
  ],
  [
    'a span within days',
    (tx: TenantTx) =>
      sumUse(tx, tenantId, { start: new Date('2026-11-01T10:00Z'), end: new Date('2026-11-03T11:00Z') }),
  ],
  ['what is used of a quota', (tx: TenantTx) => getQuotaUse(tx, { tenantId, periodStart: month.start })],
  ['what is reserved', (tx: TenantTx) => sumReserved(tx, tenantId)],
  ['a reservation', (tx: TenantTx) => holdReservation(tx, { tenantId, reservationId: uuidv7() }, 1000)],
] as const)('%s are read by an index', async (_name, run) => {
  const plan = await planOf(run);
  expect(scansOf(plan).filter((scan) => scan.startsWith('Seq'))).toEqual([]);
  expect(plan.some((node) => node['Node Type'].includes('Index'))).toBe(true);
});
