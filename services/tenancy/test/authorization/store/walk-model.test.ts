import { randomUUID } from 'node:crypto';
import type { Role } from '@botyard/shared/auth/caller';
import { type Database, withPlatform, withTenant } from '@botyard/shared/db/database';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findPath, isEnough } from '../../../src/authorization/domain/path.ts';
import { listReached, listSteps } from '../../../src/authorization/store/walk.ts';
import { clearEdges, type EdgeText, writeEdges } from '../../graph.ts';
import { createBot } from '../../tenancy-services.ts';
import { newPerson, openPlatform, type Platform } from '../../whole-platform.ts';

let platform: Platform;
let database: Database;
let tenants: { tenantId: string; users: string[]; bots: string[] }[];

beforeAll(async () => {
  platform = await openPlatform();
  database = platform.harness.databaseAs('tenancy');
  const { userId: first } = await newPerson(platform);
  const { userId: second } = await newPerson(platform);
  tenants = await Promise.all(
    [platform.acme, platform.other].map(async (people) => ({
      tenantId: people.tenantId,
      users: [first, second],
      bots: [await createBot(platform, people), await createBot(platform, people)],
    })),
  );
});
afterAll(() => platform?.close());

/** Edges by numbers, so that a counterexample can be read and shrunk. */
const group = fc.integer({ min: 0, max: 3 }).map((index) => `group:g${index}`);
const role = fc.constantFrom<Role>('member', 'admin');
const edgeOf = ({ tenantId, users, bots }: (typeof tenants)[number]) => {
  const user = fc.constantFrom(...users.map((id) => `user:${id}`));
  const everybody = role.map((relation) => `tenant:${tenantId}#${relation}`);
  const userset = fc.oneof(
    { weight: 3, arbitrary: group.map((name) => `${name}#member`) },
    { weight: 1, arbitrary: everybody },
  );
  const bot = fc.constantFrom(...bots.map((id) => `bot:${id}`));
  const toGroup = fc.tuple(fc.oneof(user, userset), fc.constant<Role>('member'), group);
  const toBot = fc.tuple(fc.oneof(user, userset), role, bot);
  const toTenant = fc.tuple(userset, role, fc.constant(`tenant:${tenantId}`));
  return fc.oneof({ weight: 3, arbitrary: toGroup }, toBot, toTenant);
};
const seat = fc.constantFrom<Role | null>(null, 'member', 'admin');

test('walk, explanation and a model that knows nothing of SQL agree on any graph of two tenants', async () => {
  const [left, right] = tenants;
  if (!left || !right) throw new Error('two tenants are needed');
  const graph = (place: typeof left) =>
    fc.record({
      edges: fc.array(edgeOf(place), { maxLength: 14 }),
      seats: fc.tuple(seat, seat),
    });
  const property = fc.asyncProperty(graph(left), graph(right), async (ofLeft, ofRight) => {
    await clearEdges(platform.harness);
    for (const [place, { edges, seats }] of [
      [left, ofLeft],
      [right, ofRight],
    ] as const) {
      await write(place, edges, seats);
    }
    for (const [place, { edges, seats }] of [
      [left, ofLeft],
      [right, ofRight],
    ] as const) {
      for (const [index, userId] of place.users.entries()) {
        const expected = walk(place.tenantId, { userId, edges, seat: seats[index] ?? null });
        expect(await reachedBy(place.tenantId, userId)).toEqual([...expected].sort());
        await expectPaths(place, userId, expected);
      }
    }
  });
  await fc.assert(property, { numRuns: 40, endOnFailure: true });
});

async function write(place: (typeof tenants)[number], edges: EdgeText[], seats: readonly (Role | null)[]) {
  const { harness } = platform;
  await harness.asOwner('delete from tenancy.memberships where tenant_id = $1 and user_id = any ($2)', [
    place.tenantId,
    place.users,
  ]);
  for (const [index, role] of seats.entries()) {
    if (role) {
      await harness.asOwner(
        'insert into tenancy.memberships (tenant_id, user_id, role) values ($1, $2, $3)',
        [place.tenantId, place.users[index], role],
      );
    }
  }
  await writeEdges(harness, place.tenantId, edges);
}

/** Everything that follows, found by going round until nothing new comes. */
function walk(
  tenantId: string,
  { userId, edges, seat }: { userId: string; edges: readonly EdgeText[]; seat: Role | null },
): Set<string> {
  const reach = new Set<string>(seat ? [`tenant:${tenantId}#${seat}`] : []);
  const holds = (subject: string) => {
    if (subject.startsWith('user:')) return subject === `user:${userId}`;
    return reach.has(subject) || reach.has(subject.replace('#member', '#admin'));
  };
  for (let before = -1; before !== reach.size; ) {
    before = reach.size;
    for (const [subject, relation, object] of edges) if (holds(subject)) reach.add(`${object}#${relation}`);
  }
  return reach;
}

async function reachedBy(tenantId: string, userId: string): Promise<string[]> {
  const rows = await withPlatform(database, 'test', (tx) => listReached(tx, { tenantId, userId }));
  return rows.map((row) => `${row.object_type}:${row.object_id}#${row.relation}`).sort();
}

/** A path is found exactly where something is reached, and each of its edges leads to the next. */
async function expectPaths(place: (typeof tenants)[number], userId: string, expected: Set<string>) {
  const steps = await withTenant(database, [place.tenantId], (tx) =>
    listSteps(tx, { tenantId: place.tenantId, userId }),
  );
  const things = [
    ['tenant', place.tenantId],
    ['bot', place.bots[0]],
    ['group', 'g0'],
    ['bot', randomUUID()],
  ] as const;
  for (const [type, id = ''] of things) {
    for (const needed of ['member', 'admin'] as const) {
      const isReached = ['admin', needed].some((relation) => expected.has(`${type}:${id}#${relation}`));
      const path = findPath(steps, { type, id, needed });
      expect(path !== undefined).toBe(isReached);
      for (const [index, step] of (path ?? []).entries()) {
        const previous = path?.[index - 1];
        const isLinked = previous
          ? step.subject_type === previous.object_type &&
            step.subject_id === previous.object_id &&
            isEnough(previous.relation, step.subject_relation as Role)
          : step.subject_type === 'user' && step.subject_id === userId;
        expect(isLinked).toBe(true);
      }
    }
  }
}
