import type { IdentityMembership, IdentityOrganization } from '@botyard/contracts/events/webhooks-identity';
import { withPlatform } from '@botyard/shared/db/database';
import type { Deps } from '../deps.ts';
import {
  type KnownPerson,
  listKnownPeople,
  listLivingOrganizations,
  listRecordsOf,
} from '../store/reconciliations.ts';
import { applyIdentityChanges } from './apply-changes.ts';
import type { Change } from './fold-change.ts';
import { isLive, recordIdOf, roleOf } from './membership-records.ts';
import { syncPerson } from './sync-person.ts';

type Part = Pick<Deps, 'idp' | 'database' | 'outbox' | 'log'>;

/** Records that the provider lacks. */
interface Findings {
  knowsAny: boolean;
  missingPeople: string[];
  missingOrganizations: string[];
}

const pageSize = 100;

/**
 * Repairs missed events, which the provider redelivers for some hours only: compares all known people and organizations
 * with it. @throws HttpError 503 when it doesn't answer.
 */
export async function reconcile(deps: Part): Promise<void> {
  const findings: Findings = { knowsAny: false, missingPeople: [], missingOrganizations: [] };
  await comparePeople(deps, findings);
  const organizations = await withPlatform(
    deps.database,
    'organizations to reconcile',
    listLivingOrganizations,
  );
  for (const idpOrgId of organizations) await compareOrganization(deps, idpOrgId, findings);
  await removeMissing(deps, findings);
}

async function comparePeople(deps: Part, findings: Findings): Promise<void> {
  for (let after: string | null = null; ; ) {
    const page: KnownPerson[] = await withPlatform(deps.database, 'people to reconcile', (tx) =>
      listKnownPeople(tx, after, pageSize),
    );
    if (page.length === 0) return;
    await comparePage(deps, page, findings);
    after = page.at(-1)?.userId ?? null;
  }
}

async function comparePage(deps: Part, page: readonly KnownPerson[], findings: Findings): Promise<void> {
  const happenedAt = Date.now();
  const users = await deps.idp.listUsers(page.map(({ idpUserId }) => idpUserId));
  const byId = new Map(users.map((user) => [user.idpUserId, user]));
  const changes: Change[] = [];
  for (const person of page) {
    const user = byId.get(person.idpUserId);
    if (user) {
      const { email, name, updatedAt } = user;
      findings.knowsAny = true;
      const isNews = updatedAt !== person.updatedAt || email !== person.email || name !== person.name;
      if (isNews) changes.push({ kind: 'user.saved', happenedAt, user });
    } else if (person.hasProviderRecord) findings.missingPeople.push(person.idpUserId);
  }
  await apply(deps, changes);
}

async function compareOrganization(deps: Part, idpOrgId: string, findings: Findings): Promise<void> {
  const happenedAt = Date.now();
  const organization = await deps.idp.getOrganization(idpOrgId);
  if (!organization) {
    findings.missingOrganizations.push(idpOrgId);
    return;
  }
  findings.knowsAny = true;
  const records = await withPlatform(deps.database, 'members to reconcile', (tx) =>
    listRecordsOf(tx, idpOrgId),
  );
  const live = new Map(records.filter(isLive).map((record) => [record.recordId, record]));
  await apply(deps, [{ kind: 'organization.saved', happenedAt, organization }]);
  const listed = new Set<string>();
  for (let offset: number | null = 0; offset !== null; ) {
    const page = await deps.idp.listMembershipsOfOrganization(idpOrgId, offset);
    if (!page) return;
    const own = page.memberships.filter((membership) => membership.organization.idpOrgId === idpOrgId);
    const news = own.filter((membership) => {
      const liveRecord = live.get(recordIdOfMembership(membership));
      return (
        !liveRecord ||
        liveRecord.role !== roleOf(membership.role) ||
        liveRecord.updatedAt !== membership.updatedAt
      );
    });
    for (const membership of own) listed.add(membership.user.idpUserId);
    await apply(
      deps,
      news.map((membership) => ({ kind: 'membership.saved', happenedAt, membership })),
    );
    offset = page.next;
  }
  const expected = [...live.values()].map(({ idpUserId }) => idpUserId);
  await askAbout(deps, [...expected, ...impliedCreator(organization, records)], listed);
}

/** A list that changes while it is read can miss a person. Their own list shows whether they are really missing. */
async function askAbout(
  deps: Part,
  idpUserIds: readonly string[],
  listed: ReadonlySet<string>,
): Promise<void> {
  for (const idpUserId of new Set(idpUserIds)) {
    if (!listed.has(idpUserId)) await syncPerson(deps, idpUserId);
  }
}

const impliedCreator = (
  { createdBy }: IdentityOrganization,
  records: readonly { idpUserId: string }[],
): string[] => (createdBy && !records.some(({ idpUserId }) => idpUserId === createdBy) ? [createdBy] : []);

/**
 * Deletes people whom the provider no longer knows, permanently. If it knows none of them, its key probably belongs to
 * another instance, and nobody is deleted.
 */
async function removeMissing(deps: Part, findings: Findings): Promise<void> {
  const { knowsAny, missingPeople, missingOrganizations } = findings;
  if (missingPeople.length + missingOrganizations.length === 0) return;
  if (!knowsAny) {
    deps.log.error(
      { people: missingPeople.length, organizations: missingOrganizations.length },
      'the identity provider knows none of the stored people, so nobody is deleted: check IDP_SECRET_KEY',
    );
    return;
  }
  for (const idpUserId of missingPeople) {
    if (await deps.idp.getUser(idpUserId)) continue;
    deps.log.warn({ idpUserId }, 'deleted a person whom the identity provider no longer knows');
    await apply(deps, [{ kind: 'user.deleted', happenedAt: Date.now(), idpUserId }]);
  }
  for (const idpOrgId of missingOrganizations) {
    deps.log.warn({ idpOrgId }, 'unmapped an organization that the identity provider no longer knows');
    await apply(deps, [{ kind: 'organization.deleted', happenedAt: Date.now(), idpOrgId }]);
  }
}

const recordIdOfMembership = ({ idpMembershipId, user, organization }: IdentityMembership): string =>
  recordIdOf({ idpMembershipId, idpUserId: user.idpUserId, idpOrgId: organization.idpOrgId });

async function apply(deps: Part, changes: readonly Change[]): Promise<void> {
  if (changes.length === 0) return;
  await withPlatform(deps.database, 'reconcile', (tx) => applyIdentityChanges(deps, tx, changes));
}
