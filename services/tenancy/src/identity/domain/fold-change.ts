import type {
  IdentityChange,
  IdentityMembership,
  IdentityOrganization,
  IdentityUser,
} from '@botyard/contracts/events/webhooks-identity';
import type { IdentityState, MembershipRecord, Organization, Person } from '../store/records.ts';
import { isLive, recordIdOf, roleOf } from './membership-records.ts';

/** All of a person's memberships, as the provider listed them. Other stored memberships are missing there. */
interface MembershipsListed {
  kind: 'memberships.listed';
  idpUserId: string;
  recordIds: readonly string[];
  happenedAt: number;
}

export type Change = IdentityChange | MembershipsListed;

/** Merges a change into the state. Commutative, associative and idempotent for the provider's events. */
export function foldChange(state: IdentityState, change: Change): void {
  const { happenedAt } = change;
  switch (change.kind) {
    case 'user.saved':
      put(state.people, withUser(personOf(state, change.user.idpUserId), change.user, happenedAt));
      return;
    case 'user.deleted':
      put(state.people, withoutPerson(personOf(state, change.idpUserId), happenedAt));
      return;
    case 'organization.saved':
      foldOrganization(state, change.organization, happenedAt);
      return;
    case 'organization.deleted': {
      const organization = organizationOf(state, change.idpOrgId);
      state.organizations.set(organization.idpOrgId, {
        ...organization,
        deletedAt: earlier(organization.deletedAt, happenedAt),
      });
      return;
    }
    case 'membership.saved':
      foldMembership(state, change.membership, happenedAt, null);
      return;
    case 'membership.deleted':
      foldMembership(state, change.membership, happenedAt, happenedAt);
      return;
    case 'memberships.listed':
      foldList(state, change);
      return;
  }
}

function put(people: Map<string, Person>, person: Person): void {
  people.set(person.idpUserId, person);
}

const personOf = (state: IdentityState, idpUserId: string): Person =>
  state.people.get(idpUserId) ?? {
    idpUserId,
    email: null,
    name: null,
    updatedAt: null,
    happenedAt: null,
    deletedAt: null,
  };

const organizationOf = (state: IdentityState, idpOrgId: string): Organization =>
  state.organizations.get(idpOrgId) ?? {
    idpOrgId,
    name: null,
    createdBy: null,
    updatedAt: null,
    happenedAt: null,
    deletedAt: null,
    madeTenantId: null,
  };

function withUser(person: Person, user: IdentityUser, happenedAt: number): Person {
  if (person.deletedAt !== null) return person;
  const { email, name, updatedAt } = user;
  const candidate = { ...person, email, name, updatedAt, happenedAt };
  return isNewer(candidate, person, ({ email, name }) => [email, name]) ? candidate : person;
}

/** A membership's data about a person counts only while there is no other data. */
function withStub(person: Person, name: string | null, happenedAt: number): Person {
  if (name === null || person.deletedAt !== null || person.updatedAt !== null) return person;
  const candidate = { ...person, name, happenedAt };
  return isNewer(candidate, person, ({ name }) => [name]) ? candidate : person;
}

/** A tombstone without personal data. */
const withoutPerson = (person: Person, happenedAt: number): Person => ({
  ...person,
  email: null,
  name: null,
  updatedAt: null,
  happenedAt: null,
  deletedAt: earlier(person.deletedAt, happenedAt),
});

function foldOrganization(
  state: IdentityState,
  organization: IdentityOrganization,
  happenedAt: number,
): void {
  const storedOrganization = organizationOf(state, organization.idpOrgId);
  // There is only one creator, but not every version of the record names them.
  const createdBy = smaller(storedOrganization.createdBy, organization.createdBy ?? null);
  const newer = {
    ...storedOrganization,
    createdBy,
    name: organization.name,
    updatedAt: organization.updatedAt,
    happenedAt,
  };
  const older =
    storedOrganization.createdBy === createdBy ? storedOrganization : { ...storedOrganization, createdBy };
  state.organizations.set(
    organization.idpOrgId,
    isNewer(newer, storedOrganization, ({ name }) => [name]) ? newer : older,
  );
  if (createdBy) put(state.people, personOf(state, createdBy));
}

function foldMembership(
  state: IdentityState,
  membership: IdentityMembership,
  happenedAt: number,
  deletedAt: number | null,
): void {
  const { organization, updatedAt } = membership;
  const { idpUserId } = membership.user;
  foldOrganization(state, organization, happenedAt);
  put(state.people, withStub(personOf(state, idpUserId), membership.user.name, happenedAt));
  const { idpOrgId } = organization;
  const recordId = recordIdOf({ idpMembershipId: membership.idpMembershipId, idpUserId, idpOrgId });
  const role = roleOf(membership.role);
  const record: MembershipRecord = {
    recordId,
    idpUserId,
    idpOrgId,
    role,
    wasAdmin: role === 'admin',
    updatedAt,
    happenedAt,
    seenAt: deletedAt === null ? happenedAt : 0,
    missingAt: null,
    deletedAt,
  };
  const storedRecord = state.records.get(recordId);
  state.records.set(recordId, storedRecord ? merged(storedRecord, record) : record);
}

function merged(storedRecord: MembershipRecord, record: MembershipRecord): MembershipRecord {
  const newest = isNewer(record, storedRecord, ({ role }) => [role]) ? record : storedRecord;
  return {
    ...newest,
    wasAdmin: storedRecord.wasAdmin || record.wasAdmin,
    seenAt: Math.max(storedRecord.seenAt, record.seenAt),
    missingAt: storedRecord.missingAt,
    deletedAt:
      record.deletedAt === null ? storedRecord.deletedAt : earlier(storedRecord.deletedAt, record.deletedAt),
  };
}

function foldList(state: IdentityState, { idpUserId, recordIds, happenedAt }: MembershipsListed): void {
  const listed = new Set(recordIds);
  const own = [...state.records.values()].filter((record) => record.idpUserId === idpUserId);
  for (const record of own) {
    if (listed.has(record.recordId) || !isLive(record) || record.seenAt > happenedAt) continue;
    state.records.set(record.recordId, { ...record, missingAt: happenedAt });
  }
  const withRecord = new Set(own.map(({ idpOrgId }) => idpOrgId));
  for (const { idpOrgId, createdBy } of state.organizations.values()) {
    if (createdBy !== idpUserId || withRecord.has(idpOrgId)) continue;
    const record = missingCreator(idpUserId, idpOrgId, happenedAt);
    state.records.set(record.recordId, record);
  }
}

/**
 * An organization's creator counts as its admin until a membership record exists. This record marks the end of that.
 */
const missingCreator = (idpUserId: string, idpOrgId: string, missingAt: number): MembershipRecord => ({
  recordId: recordIdOf({ idpUserId, idpOrgId }),
  idpUserId,
  idpOrgId,
  role: 'member',
  wasAdmin: false,
  updatedAt: 0,
  happenedAt: 0,
  seenAt: 0,
  missingAt,
  deletedAt: null,
});

interface Version {
  updatedAt: number | null;
  happenedAt: number | null;
}

/**
 * Ordered by last change, then by event time, then by content, so that the result doesn't depend on the order of
 * events.
 */
function isNewer<Told extends Version>(
  candidate: Told,
  current: Told,
  contentOf: (candidate: Told) => unknown,
): boolean {
  const byUpdate = (candidate.updatedAt ?? -1) - (current.updatedAt ?? -1);
  if (byUpdate !== 0) return byUpdate > 0;
  const byTelling = (candidate.happenedAt ?? -1) - (current.happenedAt ?? -1);
  if (byTelling !== 0) return byTelling > 0;
  return JSON.stringify(contentOf(candidate)) > JSON.stringify(contentOf(current));
}

const earlier = (one: number | null, other: number): number => Math.min(one ?? other, other);

function smaller(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other;
  return one < other ? one : other;
}
