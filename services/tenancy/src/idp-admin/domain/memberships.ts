import type { IdpMembership } from '@botyard/contracts/http/idp-admin';
import type { Page } from '@botyard/contracts/http/page';
import type { Role } from '@botyard/shared/auth/caller';
import { found } from '@botyard/shared/db/rows';
import type { AdminMembership, MembershipOf, Place } from '../clients/idp-admin.ts';
import type { Deps } from '../deps.ts';
import { requireAnotherAdmin, requireIds, settle } from './checks.ts';
import { withOurRoles } from './known-as.ts';

/** A page of an organization's memberships. @throws HttpError 404; 503 as `listIdpUsers`, here and below. */
export async function listIdpMemberships(
  deps: Deps,
  idpOrgId: string,
  place: Place,
): Promise<Page<IdpMembership>> {
  requireIds({ idpOrgId });
  const { items, next } = found(await deps.idpAdmin.listMemberships(idpOrgId, place), 'organization');
  return { items: await withOurRoles(deps, idpOrgId, items), next: next?.toString() };
}

/** @throws HttpError 404 for an unknown organization or user, 409 when they are already a member. */
export async function addIdpMembership(deps: Deps, key: MembershipOf, role: Role): Promise<IdpMembership> {
  requireIds(key);
  const added = found(await deps.idpAdmin.addMembership(key, `org:${role}`), 'membership');
  deps.log.info({ audit: 'idp membership added', ...key, role }, 'audit');
  return await saved(deps, key, added);
}

/** @throws HttpError 404, 409 when the tenant would lose its last admin. */
export async function changeIdpMembership(deps: Deps, key: MembershipOf, role: Role): Promise<IdpMembership> {
  requireIds(key);
  if (role !== 'admin') await requireAnotherAdmin(deps, key);
  const changed = found(await deps.idpAdmin.changeMembership(key, `org:${role}`), 'membership');
  deps.log.info({ audit: 'idp membership changed', ...key, role }, 'audit');
  return await saved(deps, key, changed);
}

/** @throws HttpError 404, 409 when the tenant would lose its last admin. */
export async function removeIdpMembership(deps: Deps, key: MembershipOf): Promise<void> {
  requireIds(key);
  await requireAnotherAdmin(deps, key);
  const removed = found(await deps.idpAdmin.removeMembership(key), 'membership');
  deps.log.info({ audit: 'idp membership removed', ...key }, 'audit');
  const { createdAt: _, ...membership } = removed;
  await settle(deps, { kind: 'membership.deleted', happenedAt: Date.now(), membership });
}

async function saved(deps: Deps, { idpOrgId }: MembershipOf, shown: AdminMembership): Promise<IdpMembership> {
  const { createdAt: _, ...membership } = shown;
  await settle(deps, { kind: 'membership.saved', happenedAt: Date.now(), membership });
  const [item] = await withOurRoles(deps, idpOrgId, [shown]);
  return item!;
}
