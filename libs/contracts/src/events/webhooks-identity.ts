import { z } from 'zod';
import { defineEvent } from './definition.ts';

/** Milliseconds since 1970, by the identity provider's clock. */
const idpMoment = z.int().nonnegative();

/** A person as reported by the identity provider. `email` is the primary one, else the first verified one. */
export const IdentityUser = z.object({
  idpUserId: z.string(),
  email: z.string().nullable(),
  name: z.string().nullable(),
  updatedAt: idpMoment,
});
export type IdentityUser = z.output<typeof IdentityUser>;

export const IdentityOrganization = z.object({
  idpOrgId: z.string(),
  name: z.string(),
  /** The person who created it and became its first admin. */
  createdBy: z.string().optional(),
  updatedAt: idpMoment,
});
export type IdentityOrganization = z.output<typeof IdentityOrganization>;

/** Includes the person and the organization, because a membership may arrive before them. */
export const IdentityMembership = z.object({
  idpMembershipId: z.string().optional(),
  /** In the identity provider's words, such as `org:admin`. */
  role: z.string(),
  updatedAt: idpMoment,
  user: z.object({ idpUserId: z.string(), name: z.string().nullable() }),
  organization: IdentityOrganization,
});
export type IdentityMembership = z.output<typeof IdentityMembership>;

/** A change at the identity provider. Created and updated are one kind, since either may come first. */
export const IdentityChange = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('user.saved'), happenedAt: idpMoment, user: IdentityUser }),
  z.object({ kind: z.literal('user.deleted'), happenedAt: idpMoment, idpUserId: z.string() }),
  z.object({
    kind: z.literal('organization.saved'),
    happenedAt: idpMoment,
    organization: IdentityOrganization,
  }),
  z.object({ kind: z.literal('organization.deleted'), happenedAt: idpMoment, idpOrgId: z.string() }),
  z.object({ kind: z.literal('membership.saved'), happenedAt: idpMoment, membership: IdentityMembership }),
  z.object({ kind: z.literal('membership.deleted'), happenedAt: idpMoment, membership: IdentityMembership }),
]);
export type IdentityChange = z.output<typeof IdentityChange>;

export const identityChanged = defineEvent('webhooks.identity.changed.v1', {
  summary:
    'The identity provider reported a change of a person, an organization or a membership. Reports arrive in any order.',
  schema: IdentityChange,
});
