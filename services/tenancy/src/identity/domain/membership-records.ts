import type { Role } from '@botyard/shared/auth/caller';
import type { MembershipRecord } from '../store/records.ts';

/** Whether the membership exists, as far as its own records tell. */
export const isLive = ({ deletedAt, missingAt, seenAt }: MembershipRecord): boolean =>
  deletedAt === null && (missingAt === null || seenAt > missingAt);

/** Roles in the provider's words, those from before custom roles included (REQ-IDP-1). */
export const roleOf = (idpRole: string): Role =>
  idpRole === 'org:admin' || idpRole === 'admin' ? 'admin' : 'member';

/** One for each membership; where the provider names none, a person has one for each organization. */
export const recordIdOf = (membership: {
  idpMembershipId?: string | undefined;
  idpUserId: string;
  idpOrgId: string;
}): string => membership.idpMembershipId ?? `${membership.idpUserId}/${membership.idpOrgId}`;
