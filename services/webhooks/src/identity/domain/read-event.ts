import type { IdentityChange } from '@botyard/contracts/events/webhooks-identity';
import {
  readDeletedId,
  readIdpMembership,
  readIdpMoment,
  readIdpOrganization,
  readIdpUser,
} from '@botyard/shared/auth/idp-records';
import { tryParseForeignJson } from '@botyard/shared/json/parse-json';
import { z } from 'zod';

/** An event of the identity provider in the system's own terms, or the reason why the delivery contains none. */
export type ReadEvent = { change: IdentityChange } | { ignored: string } | { malformed: true };

const Envelope = z.object({
  type: z.string(),
  data: z.record(z.string(), z.unknown()),
  timestamp: z.unknown().optional(),
});

type Reader = (data: unknown, happenedAt: number) => ReadEvent;

const malformed = { malformed: true } as const;
const changeOrMalformed = (change: IdentityChange | null): ReadEvent => (change ? { change } : malformed);

const saveUser: Reader = (data, happenedAt) => {
  const user = readIdpUser(data, happenedAt);
  return changeOrMalformed(user && { kind: 'user.saved', happenedAt, user });
};

const saveOrganization: Reader = (data, happenedAt) => {
  const organization = readIdpOrganization(data, happenedAt);
  return changeOrMalformed(organization && { kind: 'organization.saved', happenedAt, organization });
};

const saveMembership: Reader = (data, happenedAt) => {
  const membership = readIdpMembership(data, happenedAt);
  return changeOrMalformed(membership && { kind: 'membership.saved', happenedAt, membership });
};

/** The identifier of a deleted thing is optional in the provider's schema. Without it nothing is deleted. */
const unnamed = { ignored: 'deletion without id' };

/** The nine kinds that are subscribed to (REQ-IDP-1). */
const readers: Readonly<Record<string, Reader>> = {
  'user.created': saveUser,
  'user.updated': saveUser,
  'user.deleted': (data, happenedAt) => {
    const idpUserId = readDeletedId(data);
    return idpUserId ? changeOrMalformed({ kind: 'user.deleted', happenedAt, idpUserId }) : unnamed;
  },
  'organization.created': saveOrganization,
  'organization.updated': saveOrganization,
  'organization.deleted': (data, happenedAt) => {
    const idpOrgId = readDeletedId(data);
    return idpOrgId ? changeOrMalformed({ kind: 'organization.deleted', happenedAt, idpOrgId }) : unnamed;
  },
  'organizationMembership.created': saveMembership,
  'organizationMembership.updated': saveMembership,
  'organizationMembership.deleted': (data, happenedAt) => {
    const membership = readIdpMembership(data, happenedAt);
    return membership ? changeOrMalformed({ kind: 'membership.deleted', happenedAt, membership }) : unnamed;
  },
};

/** Reads a verified body. `signedAt` replaces a missing time of the event. */
export function readIdentityEvent(body: Buffer, signedAt: number): ReadEvent {
  const { data: envelope } = Envelope.safeParse(tryParseForeignJson(body));
  if (!envelope) return malformed;
  const read = Object.hasOwn(readers, envelope.type) ? readers[envelope.type] : undefined;
  if (!read) return { ignored: 'unknown kind' };
  return read(envelope.data, readIdpMoment(envelope.timestamp) ?? signedAt);
}
