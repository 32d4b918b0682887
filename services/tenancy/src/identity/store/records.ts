import type { Role } from '@botyard/shared/auth/caller';
import type { idpMemberships, idpOrganizations, users } from '../../store/schema.ts';

/**
 * The identity provider's records, merged independently of the order of events: the newer one of two versions is kept,
 * and deletions are never undone. All times are milliseconds by the provider's clock.
 */
export interface Person {
  idpUserId: string;
  email: string | null;
  name: string | null;
  /** `null` if the person is only known from a token or a membership. */
  updatedAt: number | null;
  /** `null` if the provider has not reported them. */
  happenedAt: number | null;
  deletedAt: number | null;
}

export interface Organization {
  idpOrgId: string;
  /** `null` if the organization is only known to be deleted. */
  name: string | null;
  createdBy: string | null;
  updatedAt: number | null;
  happenedAt: number | null;
  deletedAt: number | null;
  /** The tenant that represents it, or used to. */
  madeTenantId: string | null;
}

/** One membership. A person who left and returned has two. */
export interface MembershipRecord {
  recordId: string;
  idpUserId: string;
  idpOrgId: string;
  role: Role;
  /** Whether it ever had the admin role. */
  wasAdmin: boolean;
  updatedAt: number;
  happenedAt: number;
  /** When the provider last reported that it exists. */
  seenAt: number;
  /** The time when the provider's lists last lacked it. */
  missingAt: number | null;
  deletedAt: number | null;
}

/** The part of the state that a set of changes concerns. */
export interface IdentityState {
  people: Map<string, Person>;
  organizations: Map<string, Organization>;
  records: Map<string, MembershipRecord>;
}

/** A person's records in one organization; none for a creator without a reported membership. */
export interface OrganizationMember {
  userId: string;
  idpUserId: string;
  /** When the person was deleted. */
  deletedAt: number | null;
  records: readonly MembershipRecord[];
}

export const toPerson = (row: typeof users.$inferSelect): Person => ({
  idpUserId: row.idpUserId,
  email: row.email,
  name: row.name,
  updatedAt: row.idpUpdatedAt,
  happenedAt: row.idpHappenedAt,
  deletedAt: row.deletedAt?.getTime() ?? null,
});

export const toOrganization = ({
  idpUpdatedAt: updatedAt,
  idpHappenedAt: happenedAt,
  idpDeletedAt: deletedAt,
  ...row
}: typeof idpOrganizations.$inferSelect): Organization => ({ ...row, updatedAt, happenedAt, deletedAt });

export const toRecord = ({
  idpUpdatedAt: updatedAt,
  idpHappenedAt: happenedAt,
  idpSeenAt: seenAt,
  idpMissingAt: missingAt,
  idpDeletedAt: deletedAt,
  ...row
}: typeof idpMemberships.$inferSelect): MembershipRecord => ({
  ...row,
  updatedAt,
  happenedAt,
  seenAt,
  missingAt,
  deletedAt,
});
