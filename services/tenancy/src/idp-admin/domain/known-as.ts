import type { IdpMembership, IdpOrganization, IdpUser } from '@botyard/contracts/http/idp-admin';
import { type PlatformTx, withPlatform } from '@botyard/shared/db/database';
import { roleOf } from '../../identity/domain/membership-records.ts';
import type { AdminMembership, AdminOrganization, AdminUser } from '../clients/idp-admin.ts';
import type { Deps } from '../deps.ts';
import { listTiesOfOrganizations, listTiesOfUsers } from '../store/ties.ts';

type Part = Pick<Deps, 'database'>;

const read = <Result>({ database }: Part, work: (tx: PlatformTx) => Promise<Result>) =>
  withPlatform(database, 'ties to the identity provider', work);

const toMoment = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());

/** Users of the identity provider, each with the matching person in this installation. */
export async function withOurUsers(deps: Part, users: readonly AdminUser[]): Promise<IdpUser[]> {
  const ids = users.map(({ idpUserId }) => idpUserId);
  const ties = await read(deps, (tx) => listTiesOfUsers(tx, ids));
  return users.map((user) => ({
    ...user,
    createdAt: toMoment(user.createdAt),
    updatedAt: toMoment(user.updatedAt),
    lastSignInAt: toMoment(user.lastSignInAt),
    userId: ties.get(user.idpUserId)?.userId ?? null,
    tenants: ties.get(user.idpUserId)?.tenants ?? [],
  }));
}

/** Organizations, each with the tenant that represents it. */
export async function withOurTenants(
  deps: Part,
  organizations: readonly AdminOrganization[],
): Promise<IdpOrganization[]> {
  const ids = organizations.map(({ idpOrgId }) => idpOrgId);
  const ties = await read(deps, (tx) => listTiesOfOrganizations(tx, ids));
  return organizations.map(({ idpOrgId, name, slug, createdBy, membersCount, createdAt, updatedAt }) => ({
    idpOrgId,
    name,
    slug,
    createdBy: createdBy ?? null,
    membersCount,
    createdAt: toMoment(createdAt),
    updatedAt: toMoment(updatedAt),
    tenantId: ties.get(idpOrgId)?.tenantId ?? null,
    tenantName: ties.get(idpOrgId)?.tenantName ?? null,
  }));
}

/** Memberships of one organization, each with the person's role in its tenant. */
export async function withOurRoles(
  deps: Part,
  idpOrgId: string,
  memberships: readonly AdminMembership[],
): Promise<IdpMembership[]> {
  const ids = memberships.map(({ user }) => user.idpUserId);
  const { tenantId, people } = await read(deps, async (tx) => ({
    tenantId: (await listTiesOfOrganizations(tx, [idpOrgId])).get(idpOrgId)?.tenantId ?? null,
    people: await listTiesOfUsers(tx, ids),
  }));
  return memberships.map(({ user, role, createdAt, updatedAt }) => {
    const person = people.get(user.idpUserId);
    return {
      idpOrgId,
      idpUserId: user.idpUserId,
      name: user.name,
      role: roleOf(role),
      idpRole: role,
      createdAt: toMoment(createdAt),
      updatedAt: toMoment(updatedAt),
      userId: person?.userId ?? null,
      tenantId,
      tenantRole: person?.tenants.find((tie) => tie.tenantId === tenantId)?.role ?? null,
    };
  });
}
