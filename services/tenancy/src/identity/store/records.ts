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

export type Organization = typeof idpOrganizations.$inferSelect;
export type MembershipRecord = typeof idpMemberships.$inferSelect;

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
