import { accessChanged } from '@botyard/contracts/events/tenancy';
import type { PlatformTx } from '@botyard/shared/db/database';
import { normalizeAddress } from '../../invitations/domain/address.ts';
import { eraseFromInvitations } from '../../invitations/store/invitations.ts';
import { deleteLinksOfPeople } from '../../messenger-login/store/links.ts';
import type { Deps } from '../deps.ts';
import { listOrganizationsOf, loadIdentities, lockIdentities, saveIdentities } from '../store/identities.ts';
import { listTenantsOf } from '../store/mapped-tenants.ts';
import type { IdentityState } from '../store/records.ts';
import { deleteSelectionsOf } from '../store/seats.ts';
import { type Change, foldChange } from './fold-change.ts';
import { isLive, recordIdOf } from './membership-records.ts';
import { settleOrganization, settleSeats } from './settle-tenant.ts';

/** The people and organizations that a set of changes concerns. */
interface Mentioned {
  people: Set<string>;
  organizations: Set<string>;
  recordIds: Set<string>;
  /** People for whom every membership may change. */
  wholePeople: Set<string>;
  deletedPeople: Set<string>;
}

/**
 * Aligns people, tenants and memberships with the identity provider, in the caller's transaction (REQ-IDP-1). Changes
 * may come in any order, repeatedly, and concurrently from several instances; the result is the same.
 */
export async function applyIdentityChanges(
  deps: Pick<Deps, 'outbox' | 'log'>,
  tx: PlatformTx,
  changes: readonly Change[],
): Promise<void> {
  const mentioned = mentionedBy(changes);
  await lockIdentities(tx, 'user', mentioned.people);
  for (const id of await listOrganizationsOf(tx, [...mentioned.wholePeople])) mentioned.organizations.add(id);
  await lockIdentities(tx, 'organization', mentioned.organizations);
  const before = await loadIdentities(tx, {
    idpUserIds: [...mentioned.people],
    idpOrgIds: [...mentioned.organizations],
    recordIds: [...mentioned.recordIds],
    wholePeople: [...mentioned.wholePeople],
  });
  const after: IdentityState = {
    people: new Map(before.people),
    organizations: new Map(before.organizations),
    records: new Map(before.records),
  };
  for (const change of changes) foldChange(after, change);
  await saveIdentities(tx, before, after);
  for (const idpOrgId of [...mentioned.organizations].sort()) {
    const organization = after.organizations.get(idpOrgId);
    if (!organization) continue;
    const isSame = contentOf(before, idpOrgId) === contentOf(after, idpOrgId);
    if (isSame && mentioned.deletedPeople.size === 0) continue;
    const nameBefore = before.organizations.get(idpOrgId)?.name ?? null;
    const isRenamed = nameBefore !== null && nameBefore !== organization.name;
    await settleOrganization(deps, tx, organization, { isRenamed });
  }
  if (mentioned.deletedPeople.size > 0) {
    const idpUserIds = [...mentioned.deletedPeople];
    const emails = idpUserIds.flatMap((id) => before.people.get(id)?.email ?? []).map(normalizeAddress);
    await eraseFromInvitations(tx, { idpUserIds, emails });
    await removePeople(deps, tx, idpUserIds);
  }
}

/** The part of the state that determines an organization's tenant. A repeated change leaves it equal. */
function contentOf({ organizations, records }: IdentityState, idpOrgId: string): string {
  const { name, createdBy, deletedAt } = organizations.get(idpOrgId) ?? {};
  const own = [...records.values()].filter((record) => record.idpOrgId === idpOrgId);
  const recordContents = own.map((record) => [
    record.recordId,
    record.role,
    record.wasAdmin,
    record.updatedAt,
    record.deletedAt,
    isLive(record),
  ]);
  return JSON.stringify([name, createdBy, deletedAt, recordContents.sort()]);
}

/** Removes deleted people from tenants without an organization, and announces that they have no access. */
async function removePeople(
  deps: Pick<Deps, 'outbox' | 'log'>,
  tx: PlatformTx,
  idpUserIds: string[],
): Promise<void> {
  for (const tenantId of await listTenantsOf(tx, idpUserIds)) await settleSeats(deps, tx, tenantId, null);
  await deleteSelectionsOf(tx, idpUserIds);
  await deleteLinksOfPeople(tx, idpUserIds);
  await deps.outbox.emit(tx, accessChanged, ...idpUserIds.map((idpUserId) => ({ idpUserId })));
}

function mentionedBy(changes: readonly Change[]): Mentioned {
  const mentioned: Mentioned = {
    people: new Set(),
    organizations: new Set(),
    recordIds: new Set(),
    wholePeople: new Set(),
    deletedPeople: new Set(),
  };
  for (const change of changes) mention(mentioned, change);
  return mentioned;
}

function mention(mentioned: Mentioned, change: Change): void {
  switch (change.kind) {
    case 'user.saved':
      mentioned.people.add(change.user.idpUserId);
      return;
    case 'user.deleted':
      mentioned.people.add(change.idpUserId);
      mentioned.wholePeople.add(change.idpUserId);
      mentioned.deletedPeople.add(change.idpUserId);
      return;
    case 'memberships.listed':
      mentioned.people.add(change.idpUserId);
      mentioned.wholePeople.add(change.idpUserId);
      return;
    case 'organization.deleted':
      mentioned.organizations.add(change.idpOrgId);
      return;
    case 'organization.saved':
      mentionOrganization(mentioned, change.organization);
      return;
    case 'membership.saved':
    case 'membership.deleted': {
      const { user, organization, idpMembershipId } = change.membership;
      const { idpUserId } = user;
      mentionOrganization(mentioned, organization);
      mentioned.people.add(idpUserId);
      mentioned.recordIds.add(recordIdOf({ idpMembershipId, idpUserId, idpOrgId: organization.idpOrgId }));
    }
  }
}

function mentionOrganization(
  { people, organizations }: Mentioned,
  { idpOrgId, createdBy }: { idpOrgId: string; createdBy?: string | undefined },
): void {
  organizations.add(idpOrgId);
  if (createdBy) people.add(createdBy);
}
