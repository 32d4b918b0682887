import { platformTenantId } from '@botyard/contracts/platform-tenant';
import { type Database, withPlatform } from '@botyard/shared/db/database';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { listReached, maxReachedInTenant } from '../../../src/authorization/store/walk.ts';
import { getReach } from '../../../src/callers/store/reach.ts';
import { clearEdges, type EdgeText, writeEdges } from '../../graph.ts';
import { createBot } from '../../tenancy-services.ts';
import { newPerson, openPlatform, type Person, type Platform } from '../../whole-platform.ts';

let platform: Platform;
let database: Database;
let anna: Person;
let bot: string;
let foreignBot: string;

beforeAll(async () => {
  platform = await openPlatform();
  database = platform.harness.databaseAs('tenancy');
  anna = await newPerson(platform);
  bot = await createBot(platform, platform.acme);
  foreignBot = await createBot(platform, platform.other);
});
afterEach(() => clearEdges(platform.harness));
afterAll(() => platform?.close());

const write = (edges: EdgeText[], tenantId = platform.acme.tenantId) =>
  writeEdges(platform.harness, tenantId, edges);
const me = () => `user:${anna.userId}`;
const acme = () => `tenant:${platform.acme.tenantId}`;

async function reach({ idpUserId } = anna) {
  const key = { idpUserId, sessionId: 's', orgId: null };
  const row = await withPlatform(database, 'test', (tx) => getReach(tx, key));
  return {
    roles: Object.fromEntries((row?.roles ?? []).map(({ tenantId, role }) => [tenantId, role])),
    bots: Object.fromEntries((row?.bots ?? []).map(({ botId, role }) => [botId, role])),
  };
}

async function reached(tenantId = platform.acme.tenantId) {
  const rows = await withPlatform(database, 'test', (tx) =>
    listReached(tx, { tenantId, userId: anna.userId }),
  );
  return rows.map((row) => `${row.object_type}:${row.object_id}#${row.relation}`).sort();
}

describe("a person's reach", () => {
  test('is nothing without an edge', async () => {
    expect(await reach()).toEqual({ roles: {}, bots: {} });
  });

  test('includes the reach of their groups, through groups in groups', async () => {
    await write([
      [me(), 'member', 'group:night'],
      ['group:night#member', 'member', 'group:support'],
      ['group:support#member', 'admin', acme()],
    ]);
    expect((await reach()).roles).toEqual({ [platform.acme.tenantId]: 'admin' });
  });

  test('ends although groups contain each other', async () => {
    await write([
      [me(), 'member', 'group:a'],
      ['group:a#member', 'member', 'group:b'],
      ['group:b#member', 'member', 'group:a'],
      ['group:b#member', 'member', 'group:b'],
      ['group:b#member', 'member', acme()],
      [`${acme()}#member`, 'member', 'group:a'],
    ]);
    expect((await reach()).roles).toEqual({ [platform.acme.tenantId]: 'member' });
    expect(await reached()).toEqual(['group:a#member', 'group:b#member', `${acme()}#member`].sort());
  });

  test('is the most that any of several ways gives', async () => {
    await write([
      [me(), 'member', 'group:top'],
      ['group:top#member', 'member', 'group:left'],
      ['group:top#member', 'member', 'group:right'],
      ['group:left#member', 'member', acme()],
      ['group:right#member', 'admin', acme()],
    ]);
    expect((await reach()).roles).toEqual({ [platform.acme.tenantId]: 'admin' });
  });

  test("continues through the rights of the tenant's members, and admins are members", async () => {
    await write([
      [me(), 'member', 'group:chiefs'],
      ['group:chiefs#member', 'admin', acme()],
      [`${acme()}#member`, 'member', 'group:everybody'],
    ]);
    expect(await reached()).toContain('group:everybody#member');
  });

  test('excludes actions of admins, for a member', async () => {
    await write([
      [me(), 'member', 'group:staff'],
      ['group:staff#member', 'member', acme()],
      [`${acme()}#admin`, 'admin', `bot:${bot}`],
      [`${acme()}#admin`, 'member', 'group:board'],
    ]);
    expect(await reach()).toEqual({ roles: { [platform.acme.tenantId]: 'member' }, bots: {} });
    expect(await reached()).not.toContain('group:board#member');
  });

  test('is a single bot, if an edge leads to it, and no other', async () => {
    await write([[me(), 'admin', `bot:${bot}`]]);
    expect(await reach()).toEqual({ roles: {}, bots: { [bot]: 'admin' } });
  });

  test('names no bot that the role in its tenant reaches anyway', async () => {
    await write([
      [me(), 'member', 'group:staff'],
      ['group:staff#member', 'member', acme()],
      [me(), 'member', `bot:${bot}`],
    ]);
    expect((await reach()).bots).toEqual({});
  });

  test('stays within a tenant although another has groups of the same name', async () => {
    await write([[me(), 'member', 'group:support']]);
    await write(
      [['group:support#member', 'admin', `tenant:${platform.other.tenantId}`]],
      platform.other.tenantId,
    );
    await write([['group:support#member', 'admin', `bot:${foreignBot}`]], platform.other.tenantId);
    expect(await reach()).toEqual({ roles: {}, bots: {} });
    expect(await reached(platform.other.tenantId)).toEqual([]);
  });

  test('is found at the end of a chain of 1,000 groups', async () => {
    const chain = Array.from(
      { length: 1000 },
      (_none, index): EdgeText => [`group:g${index}#member`, 'member', `group:g${index + 1}`],
    );
    await write([[me(), 'member', 'group:g0'], ...chain, ['group:g1000#member', 'member', acme()]]);
    expect((await reach()).roles).toEqual({ [platform.acme.tenantId]: 'member' });
  });

  test('is bounded in each tenant, so that no tenant makes it costly, and others stay in reach', async () => {
    const many = Array.from(
      { length: maxReachedInTenant + 1000 },
      (_none, index): EdgeText => [me(), 'member', `group:g${index}`],
    );
    await write(many);
    const { tenantId } = platform.other;
    await write(
      [
        [me(), 'member', 'group:few'],
        ['group:few#member', 'member', `tenant:${tenantId}`],
      ],
      tenantId,
    );
    expect(await reached()).toHaveLength(maxReachedInTenant);
    expect((await reach()).roles).toEqual({ [tenantId]: 'member' });
  });

  test('is empty for a deleted person, even if edges are left', async () => {
    const gone = await newPerson(platform);
    await write([[`user:${gone.userId}`, 'admin', `bot:${bot}`]]);
    await platform.harness.asOwner('update tenancy.users set deleted_at = now() where user_id = $1', [
      gone.userId,
    ]);
    const rows = await withPlatform(database, 'test', (tx) =>
      listReached(tx, { tenantId: platform.acme.tenantId, userId: gone.userId }),
    );
    expect(rows).toEqual([]);
    expect((await platform.tenancy.call('GET', '/api/current-user', { as: gone.as })).status).toBe(401);
  });
});

test('the database accepts no edge that would be a membership, and none to a bot of another tenant', async () => {
  await expect(write([[me(), 'admin', acme()]])).rejects.toThrow('edges_no_memberships');
  await expect(write([[me(), 'admin', `bot:${foreignBot}`]])).rejects.toThrow('edges_of_bot');
  await expect(write([[me(), 'admin', `bot:${bot}`]], platformTenantId)).rejects.toThrow('edges_of_bot');
});
