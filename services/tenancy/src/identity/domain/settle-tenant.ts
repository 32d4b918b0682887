import { accessChanged } from '@botyard/contracts/events/tenancy';
import type { PlatformTx } from '@botyard/shared/db/database';
import { v7 as uuidv7 } from 'uuid';
import { lockTenant } from '../../store/tenants.ts';
import type { Deps } from '../deps.ts';
import { listOrganizationMembers, loadIdentities, saveOrganization } from '../store/identities.ts';
import {
  findTenantOfOrganization,
  insertMappedTenant,
  removeMapping,
  renameTenant,
} from '../store/mapped-tenants.ts';
import type { Organization } from '../store/records.ts';
import { listSeats, saveSeats } from '../store/seats.ts';
import { planSeats } from './plan-seats.ts';
import { type WantedRoles, wantedRoles } from './wanted-roles.ts';

type Part = Pick<Deps, 'outbox' | 'log'>;

/**
 * Aligns an organization's tenant with the stored organization. Creates the tenant when the organization exists, had
 * none before, and its first admin is known. The caller has to lock the organization.
 */
export async function settleOrganization(
  deps: Part,
  tx: PlatformTx,
  organization: Organization,
  { isRenamed }: { isRenamed: boolean },
): Promise<void> {
  const members = await listOrganizationMembers(tx, organization);
  const wanted = wantedRoles(organization, members);
  const tenantId = await tenantOf(deps, tx, organization, wanted);
  if (!tenantId) return;
  if (tenantId !== organization.madeTenantId) {
    await saveOrganization(tx, { ...organization, madeTenantId: tenantId });
  }
  if (isRenamed && organization.deletedAt === null && organization.name) {
    await renameTenant(tx, tenantId, organization.name);
  }
  const idpUserIds = new Map(members.map(({ userId, idpUserId }) => [userId, idpUserId]));
  await settleSeats(deps, tx, tenantId, { ...wanted, idpUserIds });
}

/** The same for stored organizations, without a change of their own. */
export async function settleOrganizations(
  deps: Part,
  tx: PlatformTx,
  idpOrgIds: readonly string[],
): Promise<void> {
  const { organizations } = await loadIdentities(tx, {
    idpUserIds: [],
    idpOrgIds,
    recordIds: [],
    wholePeople: [],
  });
  for (const organization of organizations.values())
    await settleOrganization(deps, tx, organization, { isRenamed: false });
}

/**
 * The organization's tenant, created if necessary. The mapping of a deleted organization is removed; its tenant stays.
 */
async function tenantOf(
  deps: Part,
  tx: PlatformTx,
  organization: Organization,
  wanted: WantedRoles,
): Promise<string | null> {
  const { idpOrgId, name, createdBy, deletedAt, madeTenantId } = organization;
  const mapped = await findTenantOfOrganization(tx, idpOrgId);
  if (deletedAt !== null) {
    if (!mapped) return madeTenantId;
    await removeMapping(tx, idpOrgId);
    await announceAll(deps, tx, mapped);
    return mapped;
  }
  if (mapped) return mapped;
  const hasAdmin = [...wanted.roles.values()].includes('admin') || wanted.formerAdmins.length > 0;
  // If a tenant was created once and no longer exists, it was deleted through the API, and isn't created again.
  if (madeTenantId !== null || name === null || !hasAdmin) return null;
  const tenantId = uuidv7();
  await insertMappedTenant(tx, { tenantId, name, idpOrgId, creator: createdBy });
  return tenantId;
}

/** The active tenant of a session may depend on the mapping. */
async function announceAll({ outbox }: Part, tx: PlatformTx, tenantId: string): Promise<void> {
  const { seats } = await listSeats(tx, tenantId);
  await outbox.emit(tx, accessChanged, ...seats.map(({ idpUserId }) => ({ idpUserId, tenantId })));
}

/**
 * Aligns a tenant's memberships with the provider; with `null` only deleted people lose theirs. Announces everybody
 * whose reach changes. The last admin is kept, which the log and `kept_since` show.
 */
export async function settleSeats(
  deps: Part,
  tx: PlatformTx,
  tenantId: string,
  wanted: (WantedRoles & { idpUserIds: ReadonlyMap<string, string> }) | null,
): Promise<void> {
  if (!(await lockTenant(tx, tenantId))) return;
  const { seats, grants } = await listSeats(tx, tenantId);
  const plan = planSeats({ seats, grants, wanted });
  const isKeptNow = await saveSeats(tx, tenantId, plan);
  if (isKeptNow) {
    deps.log.warn({ tenantId, userId: plan.kept }, 'kept the last admin, whom the identity provider removed');
  }
  const idpUserIds = new Map([
    ...(wanted?.idpUserIds ?? []),
    ...seats.map(({ userId, idpUserId }) => [userId, idpUserId] as const),
  ]);
  const changed = [...plan.put.map(({ userId }) => userId), ...plan.remove];
  await deps.outbox.emit(
    tx,
    accessChanged,
    ...changed.map((userId) => ({ idpUserId: idpUserIds.get(userId) ?? '', tenantId })),
  );
}
