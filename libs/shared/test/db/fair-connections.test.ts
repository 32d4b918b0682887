import { setTimeout as pause } from 'node:timers/promises';
import { createDatabase, type Database, withPlatform, withTenant } from '@botyard/shared/db/database';
import { lockNamed } from '@botyard/shared/db/lock-named';
import { contextFrom, runInContext } from '@botyard/shared/tracing/context';
import { ServiceHarness } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, expect, test } from 'vitest';

const [loud, quiet] = ['01920000-0000-7000-8000-00000000000a', '01920000-0000-7000-8000-00000000000b'];

let harness: ServiceHarness;
let database: Database;
let otherProcess: Database;

beforeAll(async () => {
  harness = await ServiceHarness.open();
  const open = () =>
    createDatabase({
      url: harness.databaseUrl('tenancy'),
      applicationName: 'test-fair-connections',
      acquireTimeoutMs: 60_000,
      log: harness.log('test'),
    });
  database = open();
  otherProcess = open();
});
afterAll(async () => {
  await Promise.all([database?.close(), otherProcess?.close()]);
  await harness?.close();
});

/** Does work as a request on this share does. */
function onShare<Result>(share: string | undefined, work: () => Promise<Result>): Promise<Result> {
  const context = contextFrom({});
  context.share = share;
  return runInContext(context, work);
}

const sleep = (seconds: number) => () =>
  withPlatform(database, 'test', (tx) =>
    tx.query({ name: `sleep ${seconds}`, text: `select pg_sleep(${seconds})`, values: [] }),
  );

/** The order in which works end. */
async function orderOf(works: Readonly<Record<string, Promise<unknown>>>): Promise<string[]> {
  const ended: string[] = [];
  const note = async ([name, work]: [string, Promise<unknown>]) => {
    await work;
    ended.push(name);
  };
  await Promise.all(Object.entries(works).map(note));
  return ended;
}

test("one tenant's requests take neither all connections nor others' turns, and messages have their own", async () => {
  const flood = Promise.all(Array.from({ length: 40 }, () => onShare(loud, sleep(0.2))));
  const others = Promise.all([
    onShare(quiet, sleep(0)),
    onShare('address:192.0.2.1', sleep(0)),
    onShare(undefined, sleep(0)),
  ]);
  expect(await orderOf({ flood, others })).toEqual(['others', 'flood']);
});

test('strangers take turns by address, and all of them together leave connections to tenants', async () => {
  const addresses = Array.from({ length: 40 }, (_, index) => `address:192.0.2.${index}`);
  const flood = Promise.all(addresses.map((address) => onShare(address, sleep(0.2))));
  const others = Promise.all([onShare(quiet, sleep(0)), onShare(undefined, sleep(0))]);
  expect(await orderOf({ flood, others })).toEqual(['others', 'flood']);
});

test('a message that floods leaves turns to messages of other tenants, and connections to requests', async () => {
  const asleep = () =>
    withTenant(database, [loud], (tx) =>
      tx.query({ name: 'asleep', text: 'select pg_sleep(0.2)', values: [] }),
    );
  const flood = Promise.all(Array.from({ length: 40 }, asleep));
  const other = withTenant(database, [quiet], (tx) => tx.has({ name: 'one', text: 'select 1', values: [] }));
  expect(await orderOf({ flood, others: Promise.all([other, onShare(quiet, sleep(0))]) })).toEqual([
    'others',
    'flood',
  ]);
});

test('a transaction that names a tenant several times is one of this tenant', async () => {
  const named = await withTenant(database, [loud, loud], async (tx) => tx.tenantIds);
  expect(named).toEqual([loud]);
});

test('transactions of one name run one after the other, each once, and wait without a connection', async () => {
  let [running, mostRunning, done] = [0, 0, 0];
  const change = () =>
    withTenant(database, [loud], async (tx) => {
      await lockNamed(tx, 'a name');
      running += 1;
      mostRunning = Math.max(mostRunning, running);
      await tx.query({ name: 'nap', text: 'select pg_sleep(0.005)', values: [] });
      running -= 1;
      done += 1;
    });
  const all = Promise.all(Array.from({ length: 60 }, () => onShare(loud, change)));
  await all;
  expect([mostRunning, done]).toEqual([1, 60]);
});

test('who waits for a lock of another process holds no connection, and gets the lock when it is free', async () => {
  const held = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const holder = withTenant(otherProcess, [loud], async (tx) => {
    await lockNamed(tx, 'first', 'second');
    begun.resolve();
    await held.promise;
  });
  await begun.promise;
  const waiting = Array.from({ length: 30 }, () =>
    onShare(loud, () =>
      withTenant(database, [loud], (tx) => lockNamed(tx, 'second'), { isOneRoundTrip: true }),
    ),
  );
  await onShare(loud, sleep(0.05));
  for (let looks = 0; looks < 20; looks += 1) {
    const { totalCount, idleCount } = database.pool;
    expect(totalCount - idleCount).toBeLessThanOrEqual(1);
    await pause(5);
  }
  held.resolve();
  await Promise.all([holder, ...waiting]);
});

test('a lock that stays taken is 503 with Retry-After, and nothing of the transaction is done', async () => {
  const held = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const holder = withTenant(otherProcess, [loud], async (tx) => {
    await lockNamed(tx, 'for long');
    begun.resolve();
    await held.promise;
  });
  await begun.promise;
  const late = withTenant(database, [loud], (tx) => lockNamed(tx, 'for long'));
  await expect(late).rejects.toMatchObject({ status: 503, retryAfterSeconds: 1 });
  held.resolve();
  await holder;
});

test('the limit for rows is the same after a lock as before', async () => {
  const limitOf = (isLocked: boolean) =>
    onShare(loud, () =>
      withTenant(database, [loud], async (tx) => {
        if (isLocked) await lockNamed(tx, 'a limit');
        const [row] = await tx.query({
          name: 'limit',
          text: "select current_setting('lock_timeout') as limit",
          values: [],
        });
        return row;
      }),
    );
  expect(await limitOf(true)).toEqual(await limitOf(false));
});
