import {
  createDatabase,
  type Database,
  type TenantTx,
  withPlatform,
  withTenant,
} from '@botyard/shared/db/database';
import { SharedTransactions } from '@botyard/shared/db/shared-transactions';
import { ServiceHarness } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

let harness: ServiceHarness;
let database: Database;
let shared: ReturnType<typeof transactionsOn>;

beforeAll(async () => {
  harness = await ServiceHarness.open();
  database = createDatabase({
    url: harness.databaseUrl('tenancy'),
    applicationName: 'test-shared-transactions',
    log: harness.log('test'),
  });
});
afterAll(async () => {
  await database?.close();
  await harness?.close();
});
beforeEach(() => {
  shared = transactionsOn(database);
});

interface Work {
  tenantId: string;
  lockedId: string;
  ask(tx: TenantTx): Promise<unknown>;
}

/** Transactions of works that each ask something of their own. */
function transactionsOn(on: Database) {
  const transactions = new SharedTransactions<Work, unknown>({
    database: on,
    of: (work) => work,
    ask: (tx, works) => Promise.all(works.map(({ ask }) => ask(tx))),
  });
  return {
    run: <Result>(of: Omit<Work, 'ask'>, ask: (tx: TenantTx) => Promise<Result>) =>
      transactions.run({ ...of, ask }) as Promise<Result>,
  };
}

const idOf = (number: number) => `01920000-0000-7000-8000-${String(number).padStart(12, '0')}`;
const workOf = (number: number, lockedId = '') => ({ tenantId: idOf(number), lockedId });

/** Makes the tenant, and returns the number of the transaction. */
const insert = (number: number, name: string | null) => async (tx: TenantTx) => {
  const [row] = await tx.query<{ transaction: string }>({
    name: 'test.insert',
    text: `insert into tenancy.tenants (tenant_id, name) values ($1, $2)
           returning pg_current_xact_id()::text as transaction`,
    values: [idOf(number), name],
  });
  return row?.transaction;
};

const namesOf = (...numbers: number[]) =>
  withPlatform(database, 'test', async (tx) => {
    const rows = await tx.query<{ name: string }>({
      name: 'test.names',
      text: 'select name from tenancy.tenants where tenant_id = any ($1::uuid[]) order by tenant_id',
      values: [numbers.map(idOf)],
    });
    return rows.map(({ name }) => name);
  });

test('simultaneous works share a transaction, over tenants, and those that arrive meanwhile share the next', async () => {
  const insertAll = (numbers: number[]) =>
    numbers.map((number) => shared.run(workOf(number), insert(number, `t${number}`)));
  const later: Promise<string | undefined>[] = [];
  const first = shared.run(workOf(1), async (tx) => {
    later.push(...insertAll([3, 4, 5]));
    return await insert(1, 't1')(tx);
  });
  const together = await Promise.all([first, ...insertAll([2])]);
  const next = await Promise.all(later);
  expect(new Set(together).size).toBe(1);
  expect(new Set(next).size).toBe(1);
  expect(next).not.toContain(together[0]);
  expect(await namesOf(1, 2, 3, 4, 5)).toEqual(['t1', 't2', 't3', 't4', 't5']);
});

test('when one work fails, it alone is refused, and each of the others has happened once', async () => {
  const numbers = [11, 12, 13, 14];
  const done = await Promise.allSettled(
    numbers.map((number) => shared.run(workOf(number), insert(number, number === 13 ? null : `t${number}`))),
  );
  expect(done.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  expect(done[2]).toMatchObject({ reason: { code: '23502' } });
  expect(await namesOf(...numbers)).toEqual(['t11', 't12', 't14']);
});

test('callbacks after a commit run once for each committed work, and not for a failed one', async () => {
  const committed: number[] = [];
  const telling = (number: number) => async (tx: TenantTx) => {
    tx.afterCommit(() => committed.push(number));
    return await insert(number, number === 23 ? null : `t${number}`)(tx);
  };
  const numbers = [21, 22, 23, 24];
  await Promise.allSettled(numbers.map((number) => shared.run(workOf(number), telling(number))));
  expect(committed.toSorted()).toEqual([21, 22, 24]);
});

test('tenants take turns: one work is not kept waiting by a hundred of another tenant', async () => {
  const ended: string[] = [];
  const note = (whose: string) => () => ended.push(whose);
  const ask = async (tx: TenantTx) => await tx.query({ name: 'test.one', text: 'select 1', values: [] });
  const flood = Array.from({ length: 100 }, () => shared.run(workOf(31), ask).then(note('flood')));
  const other = shared.run(workOf(32), ask).then(note('other'));
  await Promise.all([...flood, other]);
  expect(ended.indexOf('other')).toBeLessThan(40);
});

test('the works of a transaction run in the order of their locked rows, not in the order of their arrival', async () => {
  const writtenRows: string[] = [];
  const ask = (row: string) => async (tx: TenantTx) => {
    writtenRows.push(row);
    return await tx.query({ name: 'test.one', text: 'select 1', values: [] });
  };
  await Promise.all(['c', 'a', 'b'].map((row) => shared.run(workOf(41, row), ask(row))));
  expect(writtenRows).toEqual(['a', 'b', 'c']);
});

test('while the database is unreachable all works are refused as unavailable, and so are later ones', async () => {
  const away = createDatabase({
    url: 'postgres://nobody:none@127.0.0.1:9/none',
    applicationName: 'test-away',
    acquireTimeoutMs: 100,
    log: harness.log('test'),
  });
  const without = transactionsOn(away);
  const works = [51, 52, 53].map((number) => without.run(workOf(number), insert(number, 'never')));
  for (const one of await Promise.allSettled(works)) expect(one).toMatchObject({ reason: { status: 503 } });
  await expect(without.run(workOf(54), insert(54, 'never'))).rejects.toMatchObject({ status: 503 });
  await away.close();
});

test('each work gets its own answer, for any order in which they lock rows', async () => {
  const ask = (row: string) => (tx: TenantTx) =>
    tx.query<{ row: string }>({ name: 'test.row', text: 'select $1 as row', values: [row] });
  const answers = await Promise.all(['c', 'a', 'b'].map((row) => shared.run(workOf(61, row), ask(row))));
  expect(answers.flat().map(({ row }) => row)).toEqual(['c', 'a', 'b']);
});

test('a work whose row another transaction has locked delays no other, and runs when the lock is released', async () => {
  const numbers = [71, 72, 73];
  await Promise.all(numbers.map((number) => shared.run(workOf(number), insert(number, 'before'))));
  const rename = (number: number) => (tx: TenantTx) =>
    tx.query({
      name: 'test.rename',
      text: `update tenancy.tenants set name = 'after' where tenant_id = $1`,
      values: [idOf(number)],
    });
  const run = (number: number) => shared.run(workOf(number), rename(number));
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const { promise: locked, resolve: hasLock } = Promise.withResolvers<void>();
  const locking = withTenant(database, [idOf(71)], async (tx) => {
    await tx.query({
      name: 'test.lock',
      text: 'select from tenancy.tenants where tenant_id = $1 for update',
      values: [idOf(71)],
    });
    hasLock();
    await held;
  });
  await locked;
  const first = run(71);
  await Promise.all([run(72), run(73)]);
  await Promise.all([run(72), run(73)]);
  expect(await namesOf(...numbers)).toEqual(['before', 'after', 'after']);
  release();
  await Promise.all([locking, first]);
  expect(await namesOf(71)).toEqual(['after']);
});
