import {
  type AnyTx,
  createDatabase,
  type Database,
  type TenantTx,
  withPlatform,
  withTenant,
} from '@botyard/shared/db/database';
import { sql } from '@botyard/shared/db/drizzle';
import { ServiceHarness } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';

let harness: ServiceHarness;
let database: Database;
const tenantId = '01920000-0000-7000-8000-000000000200';

beforeAll(async () => {
  harness = await ServiceHarness.open();
  database = createDatabase({
    url: harness.databaseUrl('tenancy'),
    applicationName: 'test-exchange',
    maxConnections: 1,
    log: harness.log('test'),
  });
});
afterAll(async () => {
  await database?.close();
  await harness?.close();
});

test('a session checks within seconds whether its client still exists, and keeps the options of its address', async () => {
  const text = `select current_setting('tcp_keepalives_idle') as idle, current_setting('tcp_user_timeout') as unheard,
                  current_setting('role') as role`;
  const rows = await withPlatform(database, 'test', (tx) =>
    tx.query({ name: 'test.silence', text, values: [] }),
  );
  expect(rows).toEqual([{ idle: '10', unheard: '25000', role: 'botyard_tenancy' }]);
});

const one = (value: number | string) => ({
  name: 'test.one',
  text: 'select $1::int as value',
  values: [value],
});
const insert = (name: string) => ({
  name: 'test.insert',
  text: 'insert into tenancy.tenants (tenant_id, name) values ($1, $2) on conflict (tenant_id) do update set name = $2',
  values: [tenantId, name],
});
const nameNow = {
  name: 'test.name',
  text: 'select name from tenancy.tenants where tenant_id = $1',
  values: [tenantId],
};

async function exchangesOf(work: () => Promise<unknown>): Promise<number> {
  const client = await database.pool.connect();
  const query = vi.spyOn(client, 'query');
  client.release();
  await work();
  const { length } = query.mock.calls;
  query.mockRestore();
  return length;
}

test('statements of one turn share one exchange, in order, and each gets its own answer', async () => {
  let answers: unknown[] = [];
  const count = await exchangesOf(() =>
    withPlatform(database, 'test', async (tx) => {
      answers = await Promise.all([
        tx.query(one(1)),
        tx.query(insert('first')),
        tx.query(nameNow),
        tx.query(insert('second')),
        tx.query(nameNow),
        tx.query({ name: 'test.nobody', text: 'select 1 as value where false', values: [] }),
        // drizzle asks a moment later, and still in this turn.
        tx.db.execute(sql`select name || '!' as name from tenancy.tenants where tenant_id = ${tenantId}`),
      ]);
    }),
  );
  expect(answers).toMatchObject([
    [{ value: 1 }],
    [],
    [{ name: 'first' }],
    [],
    [{ name: 'second' }],
    [],
    { rows: [{ name: 'second!' }] },
  ]);
  expect(count, 'one for all of it and one for the commit').toBe(2);
});

test('a failed statement also fails those after it, and the connection knows which statements are parsed', async () => {
  for (const name of ['left.out', 'left.out.too']) {
    const late = { name, text: `select '${name}' as name`, values: [] };
    const failing = withPlatform(database, 'test', (tx) =>
      Promise.allSettled([tx.query(insert('lost')), tx.query(one('x')), tx.query(late)]).then((settled) => {
        expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
      }),
    );
    await expect(failing).rejects.toThrow();
    const [[kept], again, after] = await withPlatform(database, 'test', (tx) =>
      Promise.all([tx.query(nameNow), tx.query(late), tx.query(one(2))]),
    );
    expect([kept, again, after]).toEqual([{ name: 'second' }, [{ name }], [{ value: 2 }]]);
  }
});

test('a name that stands for two statements fails its transaction, and neither later ones nor the process', async () => {
  const twice = (value: number) => ({ name: 'test.twice', text: `select ${value} as value`, values: [] });
  const ask = (...values: number[]) =>
    withPlatform(database, 'test', (tx) => Promise.all(values.map((value) => tx.query(twice(value)))));
  expect(await ask(1)).toEqual([[{ value: 1 }]]);
  await expect(ask(2)).rejects.toThrow();
  await expect(ask(3, 4)).rejects.toThrow();
  expect(await withPlatform(database, 'test', (tx) => tx.query(one(1)))).toEqual([{ value: 1 }]);
});

test('a transaction in one exchange is kept whole or not at all, and takes nothing after its answer', async () => {
  let inTime: Promise<unknown> = Promise.resolve();
  const late = withTenant(
    database,
    [tenantId],
    async (tx) => {
      await tx.query(nameNow);
      inTime = Promise.allSettled([tx.query(insert('late'))]);
      return await tx.query(insert('late'));
    },
    { isOneRoundTrip: true },
  );
  await expect(late).rejects.toThrow('after the end of its transaction');
  await inTime;
  const half = withTenant(
    database,
    [tenantId],
    (tx) => Promise.all([tx.query({ ...insert('half'), name: 'test.half' }), tx.query(one('y'))]),
    { isOneRoundTrip: true },
  );
  await expect(half).rejects.toThrow('invalid input syntax');
  const count = await exchangesOf(() =>
    withTenant(
      database,
      [tenantId],
      async (tx) => {
        expect(await tx.query(nameNow)).toEqual([{ name: 'second' }]);
      },
      { isOneRoundTrip: true },
    ),
  );
  expect(count).toBe(1);
});

test('a commit that is sent along costs no exchange of its own, and is left out when anything before it fails', async () => {
  const count = await exchangesOf(() =>
    withTenant(database, [tenantId], async (tx) => {
      tx.endsHere();
      await Promise.all([tx.query(insert('along')), tx.query(nameNow)]);
    }),
  );
  expect(count).toBe(1);
  const failing = withTenant(database, [tenantId], async (tx) => {
    tx.endsHere();
    await Promise.allSettled([tx.query(insert('never')), tx.query(one('z'))]);
  });
  await expect(failing).rejects.toThrow('invalid input syntax');
  const late = withTenant(database, [tenantId], async (tx) => {
    await tx.query(nameNow);
    tx.endsHere();
    await tx.query(nameNow);
    await tx.query(insert('too late'));
  });
  await expect(late).rejects.toThrow('after the end of its transaction');
  expect(await withTenant(database, [tenantId], (tx) => tx.query(nameNow))).toEqual([{ name: 'along' }]);
});

const lose = { name: 'test.lose', text: 'select pg_terminate_backend(pg_backend_pid())', values: [] };

test.each([
  ['fails before its commit is sent', false, (tx: TenantTx) => tx.query(one('z'))],
  ['loses its connection before', false, (tx: TenantTx) => tx.query(lose)],
  [
    'loses its connection with its commit',
    true,
    (tx: TenantTx) => {
      tx.endsHere();
      return tx.query(lose);
    },
  ],
])(
  'after a transaction that %s, it is known whether it may be committed: %s',
  async (_how, expected, work) => {
    const failures: boolean[] = [];
    const failing = withTenant(database, [tenantId], async (tx) => {
      tx.afterFailure((mayBeCommitted) => failures.push(mayBeCommitted));
      await work(tx);
    });
    await expect(failing).rejects.toThrow();
    expect(failures).toEqual([expected]);
  },
);

test('in a transaction that is one exchange, each caller interprets its own failure', async () => {
  const failing = withTenant(database, [tenantId], async (tx) => {
    tx.endsHere();
    await tx.query(one('z')).catch((cause: unknown) => {
      throw new Error('told in words', { cause });
    });
  });
  await expect(failing).rejects.toThrow('told in words');
});

test.each<[string, (work: (tx: TenantTx) => Promise<unknown>) => Promise<unknown>]>([
  ['in one exchange', (work) => withTenant(database, [tenantId], work, { isOneRoundTrip: true })],
  [
    'that has announced its last statements',
    (work) =>
      withTenant(database, [tenantId], (tx) => {
        tx.endsHere();
        return work(tx);
      }),
  ],
])('nothing is left of a transaction %s whose work fails before they are sent', async (_how, run) => {
  const failing = run((tx) =>
    Promise.all([tx.query(insert('without the rest')), Promise.reject(new Error('the rest failed'))]),
  );
  await expect(failing).rejects.toThrow('the rest failed');
  const rows = await withTenant(database, [tenantId], (tx) => tx.query(nameNow));
  expect(rows).not.toEqual([{ name: 'without the rest' }]);
});

test('a part of a transaction does not end it if more statements follow', async () => {
  await withTenant(
    database,
    [tenantId],
    async (tx) => {
      tx.endsHere();
      await tx.query(insert('part'));
      await tx.query(insert('whole'));
    },
    { staysOpen: true },
  );
  expect(await withTenant(database, [tenantId], (tx) => tx.query(nameNow))).toEqual([{ name: 'whole' }]);
});

test('how a transaction plans and commits is over with it', async () => {
  const show = {
    name: 'test.show',
    text: `select current_setting('plan_cache_mode') as plans, current_setting('enable_seqscan') as scans,
             current_setting('enable_bitmapscan') as bitmaps, current_setting('synchronous_commit') as commits`,
    values: [],
  };
  const look = (tx: AnyTx) => tx.query(show);
  const [usual] = await withTenant(database, [tenantId], look);
  const planned = { ...usual, plans: 'force_generic_plan', scans: 'off', bitmaps: 'off' };
  expect(await withTenant(database, [tenantId], look, { plansOnce: true })).toEqual([planned]);
  expect(await withPlatform(database, 'test', look, { isDurable: false, isOneRoundTrip: true })).toEqual([
    { ...planned, commits: 'off' },
  ]);
  expect(await withTenant(database, [tenantId], look)).toEqual([usual]);
  expect(usual).toMatchObject({ plans: 'auto', scans: 'on', bitmaps: 'on' });
});
