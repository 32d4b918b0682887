import { randomUUID } from 'node:crypto';
import { withTenant } from '@botyard/shared/db/database';
import { ServiceHarness } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { toUse } from '../../src/domain/use.ts';
import { addToCounters, deleteCountersOfTenant } from '../../src/store/counters.ts';
import { sumUse } from '../../src/store/sums.ts';
import { newTurn } from '../usage-services.ts';

let harness: ServiceHarness;
const [acme, other] = [randomUUID(), randomUUID()];
const always = { start: new Date('2000-01-01'), end: new Date('2100-01-01') };
const everything = { name: 'test.everything', text: 'select tenant_id from usage.counters', values: [] };
const use = (tenantId: string, change: Parameters<typeof newTurn>[1] = {}) =>
  toUse(newTurn(tenantId, change), () => null);

beforeAll(async () => {
  harness = await ServiceHarness.open();
});

beforeEach(() => harness.asOwner('delete from usage.counters'));

afterAll(() => harness?.close());

test('uses of the same kind go into one row, with no agent or provider too', async () => {
  const database = harness.databaseAs('usage');
  const none = { agentId: null, provider: null, model: null };
  for (let times = 0; times < 2; times += 1) {
    await withTenant(database, [acme], (tx) =>
      addToCounters(tx, [use(acme), use(acme, none), use(acme), use(acme, none)]),
    );
  }
  const rows = await harness.asOwner('select messages::int, input_tokens::int from usage.counters');
  expect(rows).toEqual([
    { messages: 4, input_tokens: 40 },
    { messages: 4, input_tokens: 40 },
  ]);
});

test('concurrent batches that update the same counters in opposite order neither fail nor lose anything', async () => {
  const database = harness.databaseAs('usage');
  const uses = Array.from({ length: 100 }, () => use(acme, { agentId: randomUUID() }));
  const add = (batch: typeof uses) => withTenant(database, [acme], (tx) => addToCounters(tx, batch));
  await Promise.all(Array.from({ length: 40 }, (_, index) => add(index % 2 ? uses : uses.toReversed())));
  const sums = await withTenant(database, [acme], (tx) => sumUse(tx, acme, always));
  expect(sums).toMatchObject({ messages: 4000, inputTokens: 40_000, outputTokens: 80_000, toolCalls: 4000 });
});

test('an empty batch writes nothing', async () => {
  await withTenant(harness.databaseAs('usage'), [acme], (tx) => addToCounters(tx, []));
  expect(await harness.asOwner(everything.text)).toEqual([]);
});

test('row-level security: every query of another tenant finds nothing, with any arguments', async () => {
  const database = harness.databaseAs('usage');
  await withTenant(database, [acme], (tx) => addToCounters(tx, [use(acme)]));
  await withTenant(database, [other], async (tx) => {
    expect(await tx.query(everything)).toEqual([]);
    expect(await sumUse(tx, acme, always)).toMatchObject({ messages: 0, inputTokens: 0 });
    await deleteCountersOfTenant(tx, acme);
  });
  expect(await withTenant(database, [acme], (tx) => tx.query(everything))).toEqual([{ tenant_id: acme }]);
});

test('row-level security: without a scope nothing is visible', async () => {
  const database = harness.databaseAs('usage');
  await withTenant(database, [acme], (tx) => addToCounters(tx, [use(acme)]));
  expect((await database.pool.query(everything.text)).rows).toEqual([]);
});

test('row-level security: a tenant can not count for another one', async () => {
  const adding = withTenant(harness.databaseAs('usage'), [other], (tx) => addToCounters(tx, [use(acme)]));
  await expect(adding).rejects.toThrow(/row-level security/);
});
