import { withMoments } from '@botyard/contracts/http/common';
import type { Router } from '@botyard/contracts/http/contract';
import type { Invitation, invitationRoutes, ownInvitationRoutes } from '@botyard/contracts/http/invitations';
import { pageOf } from '@botyard/contracts/http/page';
import { sortedPageOf } from '@botyard/contracts/http/sorted-page';
import { withTenant } from '@botyard/shared/db/database';
import type { Handlers } from '@botyard/shared/http/mount';
import type { Deps } from '../deps.ts';
import { createInvitation, resendInvitation, revokeInvitation } from '../domain/invitations.ts';
import { acceptInvitation, declineInvitation, listOwnInvitations } from '../domain/own-invitations.ts';
import { linkOf } from '../domain/send-mail.ts';
import { type InvitationRow, listInvitations } from '../store/invitations.ts';

/** The part of `/api/bots` that is about invitations to a tenant. */
export const invitationHandlers: Handlers<Router<typeof invitationRoutes>, Deps> = {
  listInvitations: ({ tenantId, query }, deps) =>
    withTenant(deps.database, [tenantId], async (tx) =>
      sortedPageOf(await listInvitations(tx, tenantId, query), query, toInvitation(deps), placeOfInvitation),
    ),

  createInvitation: async ({ tenantId, caller, body }, deps) =>
    toInvitation(deps)(await createInvitation(deps, { tenantId, caller }, body)),

  deleteInvitation: ({ tenantId, params: { invitationId } }, deps) =>
    revokeInvitation(deps, { tenantId, invitationId }),

  resendInvitation: async ({ tenantId, params: { invitationId } }, deps) =>
    toInvitation(deps)(await resendInvitation(deps, { tenantId, invitationId })),
};

/** The part of `/api/auth` that is about the caller's own invitations. */
export const ownInvitationHandlers: Handlers<Router<typeof ownInvitationRoutes>, Deps> = {
  listOwnInvitations: async ({ caller, query }, deps) =>
    pageOf(
      await listOwnInvitations(deps, caller, query),
      query,
      withMoments,
      ({ invitationId }) => invitationId,
    ),

  acceptInvitation: async ({ caller, params: { invitationId } }, deps) =>
    withMoments(await acceptInvitation(deps, caller, invitationId)),

  declineInvitation: ({ caller, params: { invitationId } }, deps) =>
    declineInvitation(deps, caller, invitationId),
};

const placeOfInvitation = ({ invitationId, email }: InvitationRow, field: string) => ({
  id: invitationId,
  ...(field === 'email' ? { value: email } : {}),
});

const toInvitation =
  (deps: Pick<Deps, 'publicBaseUrl'>) =>
  (row: InvitationRow): Invitation => ({ ...withMoments(row), link: linkOf(deps, row.invitationId) });
