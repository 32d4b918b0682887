import { identityChanged } from '@botyard/contracts/events/webhooks-identity';
import { expect, test } from 'vitest';
import { type ReadEvent, readIdentityEvent } from '../../../src/identity/domain/read-event.ts';
import { sample, sampleBytes, sampleNames } from '../../idp-deliveries.ts';

const signedAt = 1_795_300_000_000;
const t0 = 1_795_200_000_000;
const read = (event: unknown): ReadEvent => readIdentityEvent(Buffer.from(JSON.stringify(event)), signedAt);

const anna = 'user_2zAnnaKeller000000000000001';
const ravi = 'user_2zRaviPatel0000000000000002';
const oleg = 'user_2zOlegUnknown000000000000003';
const acme = {
  idpOrgId: 'org_2zAcmeGmbh00000000000000001',
  name: 'Acme GmbH',
  createdBy: anna,
  updatedAt: t0,
};
const saved = (user: Record<string, unknown>, happenedAt = t0) => ({
  change: { kind: 'user.saved', happenedAt, user: { updatedAt: happenedAt, ...user } },
});
const organization = (change: Record<string, unknown>, happenedAt = t0) => ({
  change: { kind: 'organization.saved', happenedAt, organization: { ...acme, ...change } },
});
const membership = (kind: string, change: Record<string, unknown>, happenedAt = t0) => ({
  change: {
    kind,
    happenedAt,
    membership: {
      idpMembershipId: 'orgmem_2zOlegAcme0000000000002',
      user: { idpUserId: oleg, name: 'Ravi Patel' },
      organization: acme,
      ...change,
    },
  },
});
const ofRavi = {
  idpMembershipId: 'orgmem_2zRaviAcme0000000000001',
  user: { idpUserId: ravi, name: 'Ravi Patel' },
  updatedAt: t0,
};
const annaSaved = saved({ idpUserId: anna, email: 'anna.keller@example.com', name: 'Anna Keller' });

/** One for every sample: a new sample fails until its meaning is added here. */
const verdicts: Record<string, unknown> = {
  user_created: annaSaved,
  user_created_after_deleted: annaSaved,
  user_created_several_emails_no_primary: saved({
    idpUserId: anna,
    email: 'Anna.Keller@Example.com',
    name: 'Anna Keller',
  }),
  user_created_primary_id_not_in_list: saved({
    idpUserId: ravi,
    email: 'ravi@example.com',
    name: 'Ravi Patel',
  }),
  user_created_docs_minimal_shape: saved(
    { idpUserId: 'user_29w83sxmDNGwOuEthce5gg56FcC', email: 'example@example.org', name: 'Example Example' },
    1_654_012_591_835,
  ),
  user_deleted: { change: { kind: 'user.deleted', happenedAt: t0 + 300_000, idpUserId: anna } },
  user_deleted_unknown: {
    change: { kind: 'user.deleted', happenedAt: t0 + 300_000, idpUserId: 'user_2zNeverSeen0000000000000009' },
  },
  user_deleted_missing_id: { ignored: 'deletion without id' },
  organization_created: organization({}),
  organization_updated: organization({ name: 'Acme SE', updatedAt: t0 + 60_000 }, t0 + 60_000),
  organization_updated_stale: organization({ name: 'Acme OLD', updatedAt: t0 + 30_000 }, t0 + 30_000),
  membership_created: membership('membership.saved', { ...ofRavi, role: 'org:member' }),
  membership_created_legacy_role: membership('membership.saved', { ...ofRavi, role: 'basic_member' }),
  membership_created_late: membership(
    'membership.saved',
    { role: 'org:member', updatedAt: t0 + 10_000 },
    t0 + 10_000,
  ),
  membership_updated_before_created: membership(
    'membership.saved',
    { role: 'org:admin', updatedAt: t0 + 40_000 },
    t0 + 40_000,
  ),
  membership_deleted: membership(
    'membership.deleted',
    { role: 'org:admin', updatedAt: t0 + 40_000 },
    t0 + 400_000,
  ),
  unsubscribed_event: { ignored: 'unknown kind' },
};

test('every sample has a verdict, and gets it', () => {
  expect([...sampleNames].sort()).toEqual(Object.keys(verdicts).sort());
  for (const name of sampleNames) {
    const result = readIdentityEvent(sampleBytes(name), signedAt);
    expect({ [name]: result }).toEqual({ [name]: verdicts[name] });
    if ('change' in result) identityChanged.schema.parse(result.change);
  }
});

test('a malformed event is refused: no JSON, no data, no kind, no identifier', () => {
  for (const text of ['', 'null', '[]', '"x"', '{', '{"type":"user.created"', '\u0000']) {
    expect(readIdentityEvent(Buffer.from(text), signedAt)).toEqual({ malformed: true });
  }
  for (const event of [
    { type: 'user.created' },
    { type: 'user.created', data: null },
    { type: 'user.created', data: [] },
    { type: 'user.created', data: 'x' },
    { data: {} },
    { type: 7, data: {} },
    { type: 'session.created' },
    { type: 'user.created', data: {} },
    { type: 'user.updated', data: { id: 'with space' } },
    { type: 'organization.created', data: { name: 'x' } },
    { type: 'organizationMembership.created', data: { id: 'orgmem_1', role: 'org:admin' } },
  ]) {
    expect(read(event)).toEqual({ malformed: true });
  }
});

test('kinds outside the nine are ignored, for any names', () => {
  for (const type of ['session.created', 'user', 'constructor', '__proto__', 'toString', '']) {
    expect(read({ type, data: {} })).toEqual({ ignored: 'unknown kind' });
  }
});

test('a deletion that names nothing deletes nothing', () => {
  for (const type of ['user.deleted', 'organization.deleted', 'organizationMembership.deleted']) {
    for (const data of [{}, { id: '' }, { id: null }, { id: 7 }]) {
      expect(read({ type, data, timestamp: t0 })).toEqual({ ignored: 'deletion without id' });
    }
  }
});

test('times in seconds and milliseconds mean the same; without one the signing counts', () => {
  const happenedAt = (timestamp: unknown) => {
    const result = read({ ...sample('user_deleted'), timestamp });
    return 'change' in result ? result.change.happenedAt : undefined;
  };
  expect(happenedAt(t0)).toBe(t0);
  expect(happenedAt(t0 / 1000)).toBe(t0);
  for (const odd of [undefined, null, 'now', Number.MAX_VALUE, -5, 0, {}])
    expect(happenedAt(odd)).toBe(signedAt);
  const { data, ...rest } = sample('user_created');
  const result = read({ ...rest, data: { ...data, updated_at: t0 / 1000 } });
  expect(result).toEqual(annaSaved);
});

test('an email address is the primary one, else the first verified one, else none', () => {
  const address = (id: string, status: string | null) => ({
    id,
    email_address: `${id}@example.com`,
    verification: status === null ? null : { status },
  });
  const emailOf = (primary: unknown, addresses: unknown) => {
    const data = { id: 'user_1', primary_email_address_id: primary, email_addresses: addresses };
    const result = read({ type: 'user.created', data, timestamp: t0 });
    return 'change' in result && result.change.kind === 'user.saved' ? result.change.user.email : undefined;
  };
  const list = [address('a', 'unverified'), address('b', 'verified'), address('c', 'verified')];
  expect(emailOf('c', list)).toBe('c@example.com');
  expect(emailOf('a', list)).toBe('a@example.com');
  expect(emailOf('z', list)).toBe('b@example.com');
  expect(emailOf(null, [address('a', 'unverified'), address('b', null)])).toBeNull();
  expect(emailOf(undefined, [{ email_address: 'x@example.com' }])).toBeNull();
  for (const odd of [undefined, null, 'x', {}, [null, 7, {}]]) expect(emailOf(null, odd)).toBeNull();
});

test("hostile text is stored without characters that Postgres can't store, and bounded", () => {
  const nameOf = (first_name: unknown) => {
    const result = read({ type: 'user.updated', data: { id: 'user_1', first_name }, timestamp: t0 });
    return 'change' in result && result.change.kind === 'user.saved' ? result.change.user.name : undefined;
  };
  expect(nameOf('An\u0000na')).toBe('Anna');
  expect(nameOf('A\ud800')).toBe('A\ufffd');
  expect(nameOf(`${'x'.repeat(199)}😀`)).toBe(`${'x'.repeat(199)}\ufffd`);
  expect(nameOf('שלום')).toBe('שלום');
  expect(nameOf('x'.repeat(10_000))).toHaveLength(200);
  for (const empty of ['', '  ', '\u0000', null, 7, {}]) expect(nameOf(empty)).toBeNull();
  const deep = `{"type":"user.created","data":{"id":"user_1","x":${'['.repeat(200_000)}${']'.repeat(200_000)}}}`;
  expect(readIdentityEvent(Buffer.from(deep), signedAt)).toMatchObject({ malformed: true });
  const proto = '{"type":"user.created","data":{"id":"user_1","__proto__":{"first_name":"Eve"}}}';
  expect(readIdentityEvent(Buffer.from(proto), signedAt)).toMatchObject({ change: { user: { name: null } } });
});
