import type { Role } from '@botyard/shared/auth/caller';
import type { MembershipRecord, Organization, OrganizationMember } from '../store/records.ts';
import { isLive } from './membership-records.ts';

export interface WantedRoles {
  /** The role of each person (`userId`) who should have one. */
  roles: Map<string, Role>;
  /** Former admins, beginning with the one who lost the role last. One of them is kept as the last admin. */
  formerAdmins: string[];
}

/**
 * The people and roles that an organization's tenant should have. The result, including the last admin, depends on the
 * provider's content and not on the order of its events.
 */
export function wantedRoles(organization: Organization, members: readonly OrganizationMember[]): WantedRoles {
  const roles = new Map<string, Role>();
  const former: { member: OrganizationMember; isCreator: boolean; lostAt: number }[] = [];
  for (const member of members) {
    const isCreator = member.idpUserId === organization.createdBy;
    const isGone = organization.deletedAt !== null || member.deletedAt !== null;
    const role = isGone ? null : presentRole(member, isCreator);
    if (role) roles.set(member.userId, role);
    if (role !== 'admin' && (isCreator || member.records.some(({ wasAdmin }) => wasAdmin))) {
      former.push({ member, isCreator, lostAt: adminUntil(organization, member) });
    }
  }
  former.sort(
    (one, other) =>
      other.lostAt - one.lostAt ||
      Number(other.isCreator) - Number(one.isCreator) ||
      (one.member.idpUserId < other.member.idpUserId ? -1 : 1),
  );
  return { roles, formerAdmins: former.map(({ member }) => member.userId) };
}

function presentRole({ records }: OrganizationMember, isCreator: boolean): Role | null {
  if (records.length === 0) return isCreator ? 'admin' : null;
  const [newest] = records.filter(isLive).sort(newestFirst);
  return newest?.role ?? null;
}

const newestFirst = (one: MembershipRecord, other: MembershipRecord): number =>
  other.updatedAt - one.updatedAt ||
  other.happenedAt - one.happenedAt ||
  (one.recordId < other.recordId ? -1 : 1);

/** The time when the person stopped being an admin: the first end of the admin membership that ended last. */
function adminUntil(organization: Organization, member: OrganizationMember): number {
  const asAdmin = member.records.filter(({ wasAdmin }) => wasAdmin);
  const ends = (asAdmin.length > 0 ? asAdmin : member.records).map(
    ({ role, updatedAt, deletedAt, missingAt }) =>
      Math.min(
        role === 'admin' ? Number.POSITIVE_INFINITY : updatedAt,
        orNever(deletedAt),
        orNever(missingAt),
      ),
  );
  const lastEnd = ends.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...ends);
  return Math.min(lastEnd, orNever(organization.deletedAt), orNever(member.deletedAt));
}

const orNever = (moment: number | null): number => moment ?? Number.POSITIVE_INFINITY;
