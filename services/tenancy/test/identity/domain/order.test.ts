import { ServiceHarness } from '@botyard/testing/service-harness';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Change } from '../../../src/identity/domain/fold-change.ts';
import {
  type Applier,
  changeOf,
  memberDeleted,
  memberSaved,
  openApplier,
  organizationDeleted,
  organizationSaved,
  permutationsOf,
  userDeleted,
  userSaved,
} from '../../identity-changes.ts';

const kinds = {
  user: [
    'user_created',
    'user_created_several_emails_no_primary',
    'user_created_primary_id_not_in_list',
    'user_created_docs_minimal_shape',
    'user_deleted',
    'user_deleted_unknown',
  ],
  organization: ['organization_created', 'organization_updated', 'organization_updated_stale'],
  membership: [
    'membership_created',
    'membership_created_legacy_role',
    'membership_updated_before_created',
    'membership_created_late',
    'membership_deleted',
  ],
};
const everySample = Object.values(kinds).flat();

let harness: ServiceHarness;
let applier: Applier;

beforeAll(async () => {
  harness = await ServiceHarness.open();
  applier = await openApplier(harness);
});

afterAll(() => harness?.close());

const inTime = (changes: readonly Change[]) =>
  changes.toSorted((one, other) => one.happenedAt - other.happenedAt);

describe.each(Object.entries(kinds))('O-12: the samples of a %s', (kind, names) => {
  test('give the same end in every order', async () => {
    const changes = names.map(changeOf);
    const expected = await applier.outcomeOf(inTime(changes));
    const orders = permutationsOf(changes);
    for (const order of orders) expect(await applier.outcomeOf(order)).toEqual(expected);
    process.stdout.write(`${orders.length} orders of ${names.length} samples of a ${kind}\n`);
  });
});

test('O-12: some of all samples give the same end in any order, with repetitions', {}, async () => {
  const changes = everySample.map(changeOf);
  const some = fc
    .shuffledSubarray(changes, { minLength: 2 })
    .chain((chosen) => fc.tuple(fc.constant(chosen), fc.array(fc.nat(chosen.length - 1), { maxLength: 4 })));
  await fc.assert(
    fc.asyncProperty(some, async ([chosen, repeated]) => {
      const expected = await applier.outcomeOf(inTime(chosen));
      const again = repeated.map((index) => chosen[index]!);
      expect(await applier.outcomeOf([...chosen, ...again])).toEqual(expected);
    }),
    { numRuns: 40 },
  );
});

/** A small world, so that things meet: 3 people, 2 organizations, few moments. */
const person = fc.constantFrom('user_a', 'user_b', 'user_c');
const organization = fc.constantFrom('org_x', 'org_y');
const moment = fc.integer({ min: 2, max: 12 });
const role = fc.constantFrom('org:admin' as const, 'org:member' as const);
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.tuple(person, moment).map(([id, at]) => userSaved(id, at, { name: `${id} at ${at}` })),
  fc.tuple(person, moment).map(([id, at]) => userDeleted(id, at)),
  fc.tuple(organization, moment).map(([id, at]) => organizationSaved(id, at, `${id} at ${at}`, 'user_a')),
  fc.tuple(person, organization, role, moment).map((of) => memberSaved(...of)),
  fc.tuple(person, organization, role, moment).map((of) => memberSaved(...of)),
  fc.tuple(person, organization, role, moment).map((of) => memberDeleted(...of)),
);

test('O-12: any changes give the same end in any order', async () => {
  const orders = fc
    .array(change, { minLength: 2, maxLength: 8 })
    .chain((changes) =>
      fc.tuple(
        fc.constant(changes),
        fc.shuffledSubarray(changes, { minLength: changes.length, maxLength: changes.length }),
      ),
    );
  await fc.assert(
    fc.asyncProperty(orders, async ([one, other]) => {
      expect(await applier.outcomeOf(other)).toEqual(await applier.outcomeOf(one));
    }),
    { numRuns: 80 },
  );
});

/** One event of each kind about one person, one organization and their membership; deleted records stay deleted. */
const nine: readonly Change[] = [
  userSaved('user_nine', 1),
  userSaved('user_nine', 2, { name: 'renamed' }),
  userDeleted('user_nine', 9),
  organizationSaved('org_nine', 1),
  organizationSaved('org_nine', 2, 'renamed'),
  organizationDeleted('org_nine', 9),
  memberSaved('user_nine', 'org_nine', 'org:member', 3),
  memberSaved('user_nine', 'org_nine', 'org:admin', 4),
  memberDeleted('user_nine', 'org_nine', 'org:admin', 8),
];
type End = Record<'people' | 'tenants' | 'grants', unknown[]> & { members: { is_kept: boolean }[] };

/**
 * Whether a tenant was made before the deletion of its organization came depends on the order, and it stays with its
 * last admin. Nothing else depends on it.
 */
async function expectSameEnd(order: readonly Change[]): Promise<void> {
  const [end, expected] = [await applier.outcomeOf(order), await applier.outcomeOf(inTime(order))] as End[];
  if (!order.some(({ kind }) => kind === 'organization.deleted')) return expect(end).toEqual(expected);
  expect(end!.people).toEqual(expected!.people);
  expect(JSON.stringify(end!.tenants)).not.toContain('"idp_org_id":"org_nine"');
  expect(end!.members.filter(({ is_kept }) => !is_kept)).toEqual([]);
}

test('O-12: any three of the nine kinds of events in every order, and all nine in random ones, have the same result', {}, async () => {
  const threes = nine.flatMap((one, at) =>
    nine.slice(at + 1).flatMap((two, next) => nine.slice(at + next + 2).map((three) => [one, two, three])),
  );
  const orders = threes.flatMap(permutationsOf);
  for (const order of orders) await expectSameEnd(order);
  const drawn = fc.shuffledSubarray([...nine], { minLength: 9, maxLength: 9 });
  await fc.assert(fc.asyncProperty(drawn, expectSameEnd), { numRuns: 150 });
  process.stdout.write(`O-12: ${orders.length} orders of three of nine kinds of events, 150 of all nine\n`);
});

test('O-12: a deleted organization is mapped to nothing in any order; none is made for it later', async () => {
  const changes = [
    changeOf('organization_created'),
    changeOf('organization_updated'),
    changeOf('membership_created'),
    organizationDeleted('org_2zAcmeGmbh00000000000000001', 1_795_200_500_000),
  ];
  for (const order of permutationsOf(changes)) {
    const { tenants, members } = (await applier.outcomeOf(order)) as {
      tenants: { idp_org_id: string | null }[];
      members: { idp_user_id: string; role: string; is_kept: boolean }[];
    };
    expect(tenants.filter(({ idp_org_id }) => idp_org_id !== null)).toEqual([]);
    const left = members.map(({ idp_user_id, is_kept }) => [idp_user_id, is_kept]);
    const wasMade = order[0]?.kind !== 'organization.deleted';
    expect(left).toEqual(wasMade ? [['user_2zAnnaKeller000000000000001', true]] : []);
  }
});

test('O-12: simultaneous versions do not overwrite one another: the newest stays', async () => {
  const versions = [1, 2, 3, 4, 5, 6, 7];
  for (let round = 0; round < 12; round += 1) {
    const [person, org] = [`user_at_once_${round}`, `org_at_once_${round}`];
    // The newest first, so that the others are under way when it is written.
    const newestFirst = versions.toReversed();
    const all = (changes: Change[]) => Promise.all(changes.map((one) => applier.apply(one)));
    await all(newestFirst.map((at) => userSaved(person, at, { name: `version ${at}` })));
    await all(newestFirst.map((at) => organizationSaved(org, at, `version ${at}`)));
    await all(newestFirst.map((at) => memberSaved(`${person}_${at}`, org, 'org:admin', at)));
    await all(newestFirst.map((at) => memberSaved(person, org, at === 7 ? 'org:admin' : 'org:member', at)));
    const rows = await harness.asOwner(
      `select u.name as person, t.name as tenant, m.role, m.kept_since from tenancy.users u
       join tenancy.memberships m using (user_id) join tenancy.tenants t using (tenant_id)
       where t.idp_org_id = $1 order by u.idp_user_id`,
      [org],
    );
    expect(rows).toHaveLength(versions.length + 1);
    expect(rows[0]).toEqual({ person: 'version 7', tenant: 'version 7', role: 'admin', kept_since: null });
  }
});

test('O-12: all samples together, from many concurrent transactions, have the same result as one after another', async () => {
  const changes = everySample.map(changeOf);
  const expected = await applier.outcomeOf(inTime(changes));
  await Promise.all([...changes, ...changes].map((one) => applier.apply(one)));
  expect(await applier.outcomeOf([])).toEqual(expected);
});
