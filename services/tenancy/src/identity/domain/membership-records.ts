import type { Role } from '@botyard/shared/auth/caller';
import type { MembershipRecord } from '../store/records.ts';

/** Whether the membership exists according to its own records. */
export const isLive = ({ deletedAt, missingAt, seenAt }: MembershipRecord): boolean =>
  deletedAt === null && (missingAt === null || seenAt > missingAt);

/** Maps the provider's role names, including those from before custom roles (REQ-IDP-1). */
export const roleOf = (idpRole: string): Role =>
  idpRole === 'org:admin' || idpRole === 'admin' ? 'admin' : 'member';

/** The membership's own identifier; if the provider gives none, one for each person and organization. */
export const recordIdOf = (membership: {
  idpMembershipId?: string | undefined;
  idpUserId: string;
  idpOrgId: string;
}): string => membership.idpMembershipId ?? `${membership.idpUserId}/${membership.idpOrgId}`;
