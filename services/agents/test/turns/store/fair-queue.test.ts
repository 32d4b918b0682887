import { randomUUID } from 'node:crypto';
import { type Database, type PlatformTx, withPlatform } from '@botyard/shared/db/database';
import type { Allotment } from '@botyard/shared/work/fair-scheduler';
import { ServiceHarness } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ClaimedConversation } from '../../../src/conversations/store/claimed-conversation.ts';
import { claimConversations, claimConversationsOfLone } from '../../../src/turns/store/claims.ts';

let harness: ServiceHarness;
let database: Database;

beforeAll(async () => {
  harness = await ServiceHarness.open();
  database = harness.databaseAs('agents');
});
beforeEach(() => harness.asOwner('truncate agents.conversations'));
afterAll(() => harness?.close());

const beforeAllTenants = '00000000-0000-0000-0000-000000000000';
/** Tenants in the order of their ids. */
const tenantsInOrder = (count: number) => Array.from({ length: count }, () => randomUUID()).sort();

/** So many conversations that are ready, the first one longest. */
const wait = (tenantId: string, count: number, change = 'null') =>
  harness.asOwner(
    `insert into agents.conversations (tenant_id, conversation_id, chat_id, bot_id, integration_id, platform, place,
       ready_at, lease_until)
     select $1, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'messenger',
       json_build_object('title', n::text), now() - interval '1 day' + n * interval '1 second', ${change}
     from generate_series(1, $2::int) n`,
    [tenantId, count],
  );

const inTx = <Result>(work: (tx: PlatformTx) => Promise<Result>) => withPlatform(database, 'test', work);
const claim = (change: Partial<Allotment> = {}) =>
  inTx((tx) =>
    claimConversations(tx, { limit: 20, share: 4, after: randomUUID(), running: new Map(), ...change }),
  );
const claimOfLone = (limit: number) => inTx((tx) => claimConversationsOfLone(tx, limit));
const titles = (claimed: readonly ClaimedConversation[], tenantId: string) =>
  claimed.filter((one) => one.tenantId === tenantId).map(({ place }) => Number(place.title));
const sorted = (numbers: readonly number[]) => numbers.toSorted((left, right) => left - right);

describe('waiting tenants', () => {
  test('each gets at most its share, beginning with its longest waiting conversations', async () => {
    const [flooding, small] = [randomUUID(), randomUUID()];
    await wait(flooding, 50);
    await wait(small, 3);
    const claimed = await claim();
    expect(sorted(titles(claimed, flooding))).toEqual([1, 2, 3, 4]);
    expect(sorted(titles(claimed, small))).toEqual([1, 2, 3]);
  });

  test('one that has its share running gets nothing more', async () => {
    const [flooding, small] = [randomUUID(), randomUUID()];
    await wait(flooding, 50);
    await wait(small, 1);
    const claimed = await claim({ running: new Map([[flooding, 3]]) });
    expect(titles(claimed, flooding)).toEqual([1]);
    expect(titles(claimed, small)).toEqual([1]);
    expect(await claim({ running: new Map([[flooding, 9]]) })).toEqual([]);
  });

  test('each gets one before any gets a second one', async () => {
    const tenants = tenantsInOrder(10);
    for (const tenantId of tenants) await wait(tenantId, 20);
    const claimed = await claim({ limit: 10 });
    expect(claimed.map(({ tenantId }) => tenantId).sort()).toEqual(tenants);
  });

  test('those with fewer running turns are served first', async () => {
    const tenants = tenantsInOrder(4);
    for (const tenantId of tenants) await wait(tenantId, 20);
    const running = new Map(tenants.slice(0, 3).map((tenantId) => [tenantId, 1]));
    expect((await claim({ limit: 1, running })).map(({ tenantId }) => tenantId)).toEqual([tenants[3]]);
  });

  test('all have had a turn when as many were claimed, one after the other, as there are tenants', async () => {
    const tenants = tenantsInOrder(70);
    for (const tenantId of tenants) await wait(tenantId, 2);
    const turns: string[] = [];
    for (const _tenant of tenants) {
      const [one] = await claim({ limit: 1, after: turns.at(-1) ?? tenants[40]! });
      turns.push(one!.tenantId);
    }
    expect(turns.toSorted()).toEqual(tenants);
  });
});

describe('the rest of the slots', () => {
  test('goes to the only tenant that waits', async () => {
    const alone = randomUUID();
    await wait(alone, 30);
    expect(sorted(titles(await claimOfLone(6), alone))).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test('stays free while two tenants wait', async () => {
    await wait(randomUUID(), 30);
    await wait(randomUUID(), 1);
    expect(await claimOfLone(10)).toEqual([]);
  });

  test('goes to one tenant if the conversations of the others are held, or ready later', async () => {
    const [alone, held, later] = [randomUUID(), randomUUID(), randomUUID()];
    await wait(alone, 2);
    await wait(held, 5, `now() + interval '5 seconds'`);
    await wait(later, 5);
    await harness.asOwner(
      `update agents.conversations set ready_at = now() + interval '1 hour' where tenant_id = $1`,
      [later],
    );
    expect(titles(await claimOfLone(10), alone)).toHaveLength(2);
  });
});

test('with 10,000 waiting conversations of one tenant a claim reads few rows, and none past the index', async () => {
  const [flooding, ...others] = tenantsInOrder(21);
  await wait(flooding!, 10_000);
  for (const tenantId of others) await wait(tenantId, 3);
  await harness.asOwner('analyze agents.conversations');
  const read = async (tx: PlatformTx) => {
    const [row] = await tx.query<{ scans: number; rows: number }>({
      name: 'test.reads',
      text: `select seq_scan::int as scans, (idx_tup_fetch + seq_tup_read)::int as rows from pg_stat_xact_user_tables
             where schemaname = 'agents' and relname = 'conversations'`,
      values: [],
    });
    return row!;
  };
  const readBy = (work: (tx: PlatformTx) => Promise<unknown>) =>
    inTx(async (tx) => {
      const before = await read(tx);
      await work(tx);
      const after = await read(tx);
      return { scans: after.scans - before.scans, rows: after.rows - before.rows };
    });
  // Wherever the last claim ended: before the tenant that floods, at it, or behind all.
  const reads = [];
  for (const after of [beforeAllTenants, flooding!, others.at(-1)!])
    reads.push(
      await readBy((tx) =>
        claimConversations(tx, { limit: 76, share: 12, after, running: new Map([[flooding!, 11]]) }),
      ),
    );
  const lone = await readBy((tx) => claimConversationsOfLone(tx, 64));
  for (const { scans, rows } of [...reads, lone]) {
    expect(scans).toBe(0);
    expect(rows).toBeLessThan(500);
  }
  const rows = [...reads, lone].map((read) => read.rows);
  process.stdout.write(`claims beside 10,000 waiting read ${rows.join(', ')} rows\n`);
});
