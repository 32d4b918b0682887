import fc from 'fast-check';
import { expect, test } from 'vitest';
import { planSeats, type SeatsToPlan } from '../../../src/identity/domain/plan-seats.ts';
import type { Seat } from '../../../src/identity/store/seats.ts';

type Role = 'admin' | 'member';

const seat = (userId: string, role: Role, change: Partial<Seat> = {}): Seat => ({
  userId,
  idpUserId: `user_${userId}`,
  role,
  source: 'idp',
  isUserDeleted: false,
  ...change,
});
const plan = (input: {
  seats?: Seat[];
  grants?: Record<string, Role>;
  wanted?: Record<string, Role>;
  former?: string[];
}) => {
  const { seats = [], grants = {}, wanted, former = [] } = input;
  const roles = new Map(Object.entries(wanted ?? {}));
  return planSeats({
    seats,
    grants: new Map(Object.entries(grants)),
    wanted: wanted ? { roles, formerAdmins: former } : null,
  });
};
const boss = {
  seat: seat('boss', 'admin'),
  grants: { boss: 'admin' as const },
  wanted: { boss: 'admin' as const },
};

test('memberships follow the provider: they are given, changed and removed', () => {
  const { grants, wanted } = boss;
  expect(plan({ seats: [boss.seat], grants, wanted: { ...wanted, new: 'member' } })).toMatchObject({
    put: [{ userId: 'new', role: 'member' }],
    remove: [],
    grants: new Map([['new', 'member']]),
  });
  const seats = [boss.seat, seat('ben', 'member')];
  const storedGrants = { ...grants, ben: 'member' as const };
  expect(plan({ seats, grants: storedGrants, wanted: { ...wanted, ben: 'admin' } }).put).toEqual([
    { userId: 'ben', role: 'admin' },
  ]);
  expect(plan({ seats, grants: storedGrants, wanted })).toMatchObject({
    remove: ['ben'],
    grants: new Map([['ben', null]]),
  });
});

test('nothing changes when all is as wanted', () => {
  const { grants, wanted } = boss;
  expect(plan({ seats: [boss.seat], grants, wanted })).toEqual({
    put: [],
    remove: [],
    kept: null,
    claimed: [],
    grants: new Map(),
  });
});

test('memberships made through our API are neither changed nor removed', () => {
  const seats = [boss.seat, seat('ben', 'admin', { source: 'api' })];
  const { grants, wanted } = boss;
  for (const role of ['member', 'admin'] as const) {
    expect(plan({ seats, grants, wanted: { ...wanted, ben: role } })).toMatchObject({ put: [], remove: [] });
  }
  for (const role of ['member', 'admin'] as const)
    expect(plan({ seats, grants: { ...grants, ben: role }, wanted })).toMatchObject({ put: [], remove: [] });
});

test('a role that was changed through our API stays, and is the API own from then on', () => {
  const seats = [boss.seat, seat('ben', 'admin')];
  const grants = { ...boss.grants, ben: 'member' as const };
  for (const wanted of [boss.wanted, { ...boss.wanted, ben: 'member' as const }]) {
    expect(plan({ seats, grants, wanted })).toMatchObject({ put: [], remove: [], claimed: ['ben'] });
  }
});

test('a person who was removed through our API stays removed until the provider changes something', () => {
  const grants = { ...boss.grants, ben: 'member' as const };
  const seats = [boss.seat];
  expect(plan({ seats, grants, wanted: { ...boss.wanted, ben: 'member' } })).toMatchObject({
    put: [],
    grants: new Map(),
  });
  expect(plan({ seats, grants, wanted: boss.wanted })).toMatchObject({
    put: [],
    grants: new Map([['ben', null]]),
  });
  expect(plan({ seats, grants, wanted: { ...boss.wanted, ben: 'admin' } }).put).toEqual([
    { userId: 'ben', role: 'admin' },
  ]);
});

test('the last admin is kept, whether removed or demoted, and released when there is another', () => {
  const { grants } = boss;
  const seats = [boss.seat];
  expect(plan({ seats, grants, wanted: {}, former: ['boss'] })).toMatchObject({
    kept: 'boss',
    put: [],
    remove: [],
  });
  expect(plan({ seats, grants, wanted: { boss: 'member' }, former: ['boss'] })).toMatchObject({
    kept: 'boss',
    put: [],
  });
  expect(plan({ seats, grants, wanted: { ann: 'admin' }, former: ['boss'] })).toMatchObject({
    kept: null,
    put: [{ userId: 'ann', role: 'admin' }],
    remove: ['boss'],
  });
  const byApi = [boss.seat, seat('api', 'admin', { source: 'api' })];
  expect(plan({ seats: byApi, grants, wanted: {}, former: ['boss'] })).toMatchObject({
    kept: null,
    remove: ['boss'],
  });
});

test('the first in line of several former admins is kept, but never one that our API removed or demoted', () => {
  const seats = [boss.seat, seat('ben', 'admin')];
  const grants = { boss: 'admin' as const, ben: 'admin' as const };
  expect(plan({ seats, grants, wanted: {}, former: ['ben', 'boss'] })).toMatchObject({
    kept: 'ben',
    remove: ['boss'],
  });
  const removed = plan({ seats: [boss.seat], grants, wanted: {}, former: ['ben', 'boss'] });
  expect(removed).toMatchObject({ kept: 'boss', put: [] });
  const demoted = [boss.seat, seat('ben', 'member', { source: 'api' })];
  expect(plan({ seats: demoted, grants, wanted: {}, former: ['ben', 'boss'] })).toMatchObject({
    kept: 'boss',
    put: [],
  });
});

test('a deleted person loses their seat, also one that our API gave; the last admin keeps the row', () => {
  const dead = (userId: string, role: Role, source: 'api' | 'idp') =>
    seat(userId, role, { source, isUserDeleted: true });
  const alive = seat('ann', 'admin', { source: 'api' });
  expect(plan({ seats: [alive, dead('ben', 'admin', 'api'), dead('cy', 'member', 'idp')] })).toMatchObject({
    remove: ['ben', 'cy'],
    kept: null,
  });
  expect(plan({ seats: [dead('ben', 'admin', 'api'), seat('cy', 'member')] })).toMatchObject({
    remove: [],
    put: [],
    kept: 'ben',
  });
});

test('I-14: never a tenant without an admin, never a deleted one while a living one is at hand', () => {
  const ids = ['a', 'b', 'c', 'd'];
  const role = fc.constantFrom<Role>('admin', 'member');
  const scenario = fc.record({
    seats: fc.uniqueArray(
      fc.record({
        userId: fc.constantFrom(...ids),
        idpUserId: fc.constant('x'),
        role,
        source: fc.constantFrom('api' as const, 'idp' as const),
        isUserDeleted: fc.boolean(),
      }),
      { selector: ({ userId }) => userId },
    ),
    grants: fc.dictionary(fc.constantFrom(...ids), role),
    roles: fc.dictionary(fc.constantFrom(...ids), role),
    former: fc.shuffledSubarray(ids),
    isMapped: fc.boolean(),
  });
  fc.assert(
    fc.property(scenario, ({ seats, grants, roles, former, isMapped }) => {
      const dead = new Set(seats.filter(({ isUserDeleted }) => isUserDeleted).map(({ userId }) => userId));
      const living = Object.entries(roles).filter(([userId]) => !dead.has(userId));
      const wanted = { roles: new Map(living), formerAdmins: former.filter((id) => roles[id] !== 'admin') };
      const input: SeatsToPlan = {
        seats,
        grants: new Map(Object.entries(grants)),
        wanted: isMapped ? wanted : null,
      };
      const { put, remove, kept } = planSeats(input);
      const after = new Map<string, Role>(seats.map((one) => [one.userId, one.role]));
      for (const userId of remove) after.delete(userId);
      for (const { userId, role: newRole } of put) after.set(userId, newRole);
      const admins = [...after].filter(([, one]) => one === 'admin').map(([userId]) => userId);
      if (seats.some((one) => one.role === 'admin')) expect(admins.length).toBeGreaterThan(0);
      if (kept !== null) expect(admins).toEqual([kept]);
      for (const userId of after.keys()) if (dead.has(userId)) expect(userId).toBe(kept);
    }),
    { numRuns: 2000 },
  );
});
