import { accessChanged, authorizationChanged } from '@botyard/contracts/events/tenancy';
import type { PageRequest } from '@botyard/contracts/http/page';
import type { Caller } from '@botyard/shared/auth/caller';
import { type TenantTx, withPlatform } from '@botyard/shared/db/database';
import { conflict, notFound, unavailable } from '@botyard/shared/http/errors';
import { requireRoom } from '../../limits/domain/limits.ts';
import { withLockedTenant } from '../../people/domain/members.ts';
import { getMembership, insertMembership } from '../../people/store/memberships.ts';
import type { TenantRow } from '../../store/tenants.ts';
import type { Deps } from '../deps.ts';
import {
  endInvitation,
  findInvitation,
  getInvitation,
  type InvitationRow,
  listInvitationsTo,
  type OwnInvitationRow,
} from '../store/invitations.ts';
import { insertResponder } from '../store/responders.ts';
import { normalizeAddress } from './address.ts';

type Person = Pick<Caller, 'userId' | 'idpUserId' | 'email'>;

/**
 * The invitations that the caller can accept, one more than the page's limit. The identity provider is asked only if
 * there may be any. @throws HttpError 503 when it doesn't answer.
 */
export async function listOwnInvitations(
  deps: Pick<Deps, 'database' | 'idp'>,
  { idpUserId, email }: Person,
  page: PageRequest,
): Promise<OwnInvitationRow[]> {
  const list = (address: string) =>
    withPlatform(deps.database, 'invitations to an address', (tx) =>
      listInvitationsTo(tx, normalizeAddress(address), page),
    );
  if (email !== null && (await list(email)).length === 0) return [];
  const verified = await deps.idp.findVerifiedEmail(idpUserId);
  return verified === null ? [] : await list(verified);
}

/**
 * Makes the caller a member or a responder, in the transaction that ends the invitation. Existing members keep their
 * role. Recorded in the audit log. @throws HttpError 404 for another person's invitation, 409 if it has ended, its bots
 * are gone or the tenant is full, 503 as above.
 */
export async function acceptInvitation(
  deps: Deps,
  caller: Person,
  invitationId: string,
): Promise<OwnInvitationRow> {
  const invitation = await findOwn(deps, caller, invitationId);
  const { tenantId } = invitation;
  const { userId, idpUserId } = caller;
  const isNew = await withLockedTenant(deps, tenantId, async (tx, tenant) => {
    const before = await getInvitation(tx, invitation);
    if (before?.state === 'accepted' && before.acceptedBy === userId) return false;
    const pending = requirePending(before);
    if (!(await getMembership(tx, { tenantId, userId }))) {
      await join(deps, tx, { tenant, userId, invitation: pending });
      await deps.outbox.emit(tx, accessChanged, { idpUserId, tenantId });
    }
    await endInvitation(tx, invitation, { state: 'accepted', acceptedBy: userId });
    return true;
  });
  if (isNew)
    deps.log.info({ audit: 'invitation accepted', subject: invitationId, tenantId, userId }, 'audit');
  return invitation;
}

/** Recorded in the audit log. Declining twice has no further effect. @throws HttpError as accepting does. */
export async function declineInvitation(deps: Deps, caller: Person, invitationId: string): Promise<void> {
  const invitation = await findOwn(deps, caller, invitationId);
  await withLockedTenant(deps, invitation.tenantId, async (tx) => {
    const before = await getInvitation(tx, invitation);
    if (before?.state === 'declined') return;
    requirePending(before);
    await endInvitation(tx, invitation, { state: 'declined' });
  });
  const { tenantId } = invitation;
  deps.log.info(
    { audit: 'invitation declined', subject: invitationId, tenantId, userId: caller.userId },
    'audit',
  );
}

async function join(
  deps: Deps,
  tx: TenantTx,
  { tenant, userId, invitation }: { tenant: TenantRow; userId: string; invitation: InvitationRow },
): Promise<void> {
  const { role, botIds, invitedBy } = invitation;
  const { tenantId } = tenant;
  await requireRoom(deps, tx, { tenant, name: 'edges', added: role === 'responder' ? botIds.length : 1 });
  if (role !== 'responder') {
    await insertMembership(tx, { tenantId, userId, role, visitedAt: new Date() });
    return;
  }
  if ((await insertResponder(tx, { tenantId, userId, botIds, createdBy: invitedBy ?? userId })) === 0)
    throw conflict('the bots of this invitation were deleted: ask for another one');
  await deps.outbox.emit(tx, authorizationChanged, { tenantId });
}

/** Checked with the tenant locked, so that an invitation is either accepted or revoked. */
function requirePending(row: InvitationRow | undefined): InvitationRow {
  if (!row) throw notFound('invitation');
  if (row.state === 'expired') throw conflict('the invitation has expired');
  if (row.state !== 'pending') throw conflict(`the invitation is ${row.state}`);
  return row;
}

/**
 * A link only names an invitation; the verified address proves that the caller is its addressee. For a missing
 * invitation the provider isn't asked.
 */
async function findOwn(
  deps: Pick<Deps, 'database' | 'idp'>,
  { idpUserId }: Person,
  invitationId: string,
): Promise<OwnInvitationRow> {
  if (!deps.idp.isConfigured)
    throw unavailable('no identity provider is configured: set IDP_SECRET_KEY', { isExpected: true });
  const row = await withPlatform(deps.database, 'own invitation', (tx) => findInvitation(tx, invitationId));
  if (!row) throw notFound('invitation');
  const { email, ...invitation } = row;
  const verified = await deps.idp.findVerifiedEmail(idpUserId);
  if (verified === null || normalizeAddress(verified) !== email) throw notFound('invitation');
  return invitation;
}
