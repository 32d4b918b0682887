import type { PlatformTx } from '@botyard/shared/db/database';

/** Takes people who were deleted out of all invitations: those to them go, and those that they sent forget who did. */
export async function eraseFromInvitations(
  tx: PlatformTx,
  { idpUserIds, emails }: { idpUserIds: readonly string[]; emails: readonly string[] },
): Promise<void> {
  await tx.query({
    name: 'tenancy.invitations.delete_of_people',
    text: `delete from tenancy.invitations i where i.email = any ($2)
             or i.accepted_by in (select user_id from tenancy.users where idp_user_id = any ($1))`,
    values: [idpUserIds, emails],
  });
  await tx.query({
    name: 'tenancy.invitations.forget_inviters',
    text: `update tenancy.invitations i set invited_by = null
           from tenancy.users u where u.idp_user_id = any ($1) and i.invited_by = u.user_id`,
    values: [idpUserIds],
  });
}
