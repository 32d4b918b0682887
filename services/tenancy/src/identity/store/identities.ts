import type { PlatformTx } from '@botyard/shared/db/database';
import { eq, inArray, or, sql } from '@botyard/shared/db/drizzle';
import { lockNamed } from '@botyard/shared/db/lock-named';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import { v7 as uuidv7 } from 'uuid';
import { idpMemberships, idpOrganizations, users } from '../../store/schema.ts';
import {
  type IdentityState,
  type MembershipRecord,
  type Organization,
  type OrganizationMember,
  type Person,
  toPerson,
} from './records.ts';

/**
 * Locks people or organizations of the identity provider until the transaction ends, including ones without a row. Lock
 * people first and organizations after them, each in this order, so that no deadlock occurs.
 */
export async function lockIdentities(
  tx: PlatformTx,
  kind: 'user' | 'organization',
  ids: ReadonlySet<string>,
): Promise<void> {
  if (ids.size === 0) return;
  await lockNamed(tx, ...[...ids].map((id) => `${kind}:${id}`));
}

/** Organizations with a current or past membership of these people, or whose tenants they belong to. */
export async function listOrganizationsOf(tx: PlatformTx, idpUserIds: readonly string[]): Promise<string[]> {
  if (idpUserIds.length === 0) return [];
  const rows = await tx.query({
    name: 'tenancy.identity.organizations_of',
    text: typedSql`select ${columns({ idpOrgId: idpMemberships.idpOrgId })} from tenancy.idp_memberships where idp_user_id = any ($1)
           union select idp_org_id from tenancy.idp_organizations where created_by = any ($1)
           union select o.idp_org_id from tenancy.idp_organizations o
             join tenancy.memberships m on m.tenant_id = o.made_tenant_id
             join tenancy.users u using (user_id) where u.idp_user_id = any ($1)`,
    values: [idpUserIds],
  });
  return rows.map((row) => row.idpOrgId);
}

/** Organizations that a tenant represents, or used to. */
export async function listOrganizationsOfTenant(tx: PlatformTx, tenantId: string): Promise<string[]> {
  const rows = await tx.query({
    name: 'tenancy.identity.organizations_of_tenant',
    text: typedSql`select ${columns({ idpOrgId: idpOrganizations.idpOrgId })} from tenancy.idp_organizations
           where made_tenant_id = $1
           union select idp_org_id from tenancy.tenants where tenant_id = $1 and idp_org_id is not null`,
    values: [tenantId],
  });
  return rows.map((row) => row.idpOrgId);
}

interface IdentityKeys {
  idpUserIds: readonly string[];
  idpOrgIds: readonly string[];
  recordIds: readonly string[];
  /** People for whom every membership is needed. */
  wholePeople: readonly string[];
}

export async function loadIdentities(tx: PlatformTx, keys: IdentityKeys): Promise<IdentityState> {
  const organizations = await loadOrganizations(tx, keys.idpOrgIds);
  // Organizations are loaded with their creators.
  const creators = organizations.flatMap(({ createdBy }) => createdBy ?? []);
  const people = await loadPeople(tx, [...keys.idpUserIds, ...creators]);
  const records = await loadRecords(tx, keys);
  return {
    people: new Map(people.map((person) => [person.idpUserId, person])),
    organizations: new Map(organizations.map((organization) => [organization.idpOrgId, organization])),
    records: new Map(records.map((record) => [record.recordId, record])),
  };
}

async function loadOrganizations(tx: PlatformTx, idpOrgIds: readonly string[]): Promise<Organization[]> {
  if (idpOrgIds.length === 0) return [];
  return await tx.db
    .select()
    .from(idpOrganizations)
    .where(inArray(idpOrganizations.idpOrgId, [...idpOrgIds]));
}

async function loadPeople(tx: PlatformTx, idpUserIds: readonly string[]): Promise<Person[]> {
  if (idpUserIds.length === 0) return [];
  const rows = await tx.db
    .select()
    .from(users)
    .where(inArray(users.idpUserId, [...idpUserIds]));
  return rows.map(toPerson);
}

async function loadRecords(
  tx: PlatformTx,
  { recordIds, wholePeople }: Pick<IdentityKeys, 'recordIds' | 'wholePeople'>,
): Promise<MembershipRecord[]> {
  if (recordIds.length + wholePeople.length === 0) return [];
  return await tx.db
    .select()
    .from(idpMemberships)
    .where(
      or(
        inArray(idpMemberships.recordId, [...recordIds]),
        inArray(idpMemberships.idpUserId, [...wholePeople]),
      ),
    );
}

/** Writes the differences; entries are compared by reference. */
export async function saveIdentities(
  tx: PlatformTx,
  before: IdentityState,
  after: IdentityState,
): Promise<void> {
  for (const [id, person] of after.people) if (before.people.get(id) !== person) await savePerson(tx, person);
  for (const [id, organization] of after.organizations) {
    if (before.organizations.get(id) !== organization) await saveOrganization(tx, organization);
  }
  for (const [id, record] of after.records) {
    if (before.records.get(id) !== record) await saveRecord(tx, record);
  }
}

/** A token may have created the row meanwhile. Its data is kept, unless the provider has reported the person itself. */
async function savePerson(tx: PlatformTx, person: Person): Promise<void> {
  const { idpUserId, email, name, updatedAt, happenedAt, deletedAt } = person;
  await tx.query({
    name: 'tenancy.identity.save_person',
    text: `insert into tenancy.users as u (user_id, idp_user_id, email, name, idp_updated_at, idp_happened_at, deleted_at)
           values ($userId, $idpUserId, $email, $name, $updatedAt, $happenedAt, $deletedAt)
           on conflict (idp_user_id) do update set
             email = case when $isReported then excluded.email else coalesce(excluded.email, u.email) end,
             name = case when $isReported then excluded.name else coalesce(excluded.name, u.name) end,
             idp_updated_at = excluded.idp_updated_at, idp_happened_at = excluded.idp_happened_at,
             deleted_at = coalesce(excluded.deleted_at, u.deleted_at), updated_at = now()`,
    values: {
      userId: uuidv7(),
      idpUserId,
      email,
      name,
      updatedAt,
      happenedAt,
      deletedAt: deletedAt === null ? null : new Date(deletedAt),
      isReported: updatedAt !== null || deletedAt !== null,
    },
  });
}

export async function saveOrganization(tx: PlatformTx, organization: Organization): Promise<void> {
  await tx.db
    .insert(idpOrganizations)
    .values(organization)
    .onConflictDoUpdate({ target: idpOrganizations.idpOrgId, set: organization });
}

async function saveRecord(tx: PlatformTx, record: MembershipRecord): Promise<void> {
  await tx.db
    .insert(idpMemberships)
    .values(record)
    .onConflictDoUpdate({ target: idpMemberships.recordId, set: record });
}

/** Everybody with a current or past membership in the organization, including its creator. */
export async function listOrganizationMembers(
  tx: PlatformTx,
  { idpOrgId, createdBy }: Organization,
): Promise<OrganizationMember[]> {
  const records = await tx.db.select().from(idpMemberships).where(eq(idpMemberships.idpOrgId, idpOrgId));
  const byPerson = Map.groupBy(records, (record) => record.idpUserId);
  const idpUserIds = [...byPerson.keys(), ...(createdBy ? [createdBy] : [])];
  const people = await tx.db
    .select()
    .from(users)
    .where(sql`${users.idpUserId} = any (${sql.param(idpUserIds)}::text[])`);
  return people.map(({ userId, idpUserId, deletedAt }) => ({
    userId,
    idpUserId,
    deletedAt: deletedAt?.getTime() ?? null,
    records: byPerson.get(idpUserId) ?? [],
  }));
}
