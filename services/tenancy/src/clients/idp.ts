import type {
  IdentityUser as FullIdpUser,
  IdentityMembership,
  IdentityOrganization,
} from '@botyard/contracts/events/webhooks-identity';
import {
  readIdpMembership,
  readIdpOrganization,
  readIdpUser,
  readVerifiedEmail,
} from '@botyard/shared/auth/idp-records';
import { HttpError, unavailable } from '@botyard/shared/http/errors';
import { z } from 'zod';
import { createIdpTransport, type IdpSettings, known, unusable, usable } from './idp-transport.ts';

interface IdpUser {
  idpUserId: string;
  email: string | null;
  name: string | null;
}

/**
 * The identity provider's API. Every call @throws HttpError 503 when it doesn't answer or asks to wait; then
 * `retryAfterSeconds` is set.
 */
export interface IdpClient {
  /** Without a secret key no call is made: everybody is unknown, and lists are empty. */
  readonly isConfigured: boolean;
  /** Resolves with `null` when the provider doesn't know the person, or none is configured. */
  findUser(idpUserId: string): Promise<IdpUser | null>;
  getUser(idpUserId: string): Promise<FullIdpUser | null>;
  /** The person's address if the provider has verified it; else `null`, as for unknown people. */
  findVerifiedEmail(idpUserId: string): Promise<string | null>;
  /** Those of at most 100 people whom the provider knows. */
  listUsers(idpUserIds: readonly string[]): Promise<FullIdpUser[]>;
  getOrganization(idpOrgId: string): Promise<IdentityOrganization | null>;
  /** All memberships of a person; `null` when the provider doesn't know them. */
  listMembershipsOfUser(idpUserId: string): Promise<IdentityMembership[] | null>;
  /** A page of an organization's memberships; `null` when the provider doesn't know it. */
  listMembershipsOfOrganization(
    idpOrgId: string,
    offset: number,
  ): Promise<{ memberships: IdentityMembership[]; next: number | null } | null>;
}

const pageSize = 100;
/** Limit per person, above the provider's own. */
const maxMemberships = 2000;
/** The only accepted form of identifiers: they become part of the address. */
const idShape = /^[\w-]{1,200}$/;

const MembershipPage = z.object({ data: z.array(z.unknown()), total_count: z.int().min(0) });

export function createIdpClient(options: IdpSettings): IdpClient {
  const get = createReader(options);
  const pageOf = async (path: string, offset: number) => {
    const askedAt = Date.now();
    const answer = await get(`${path}?limit=${pageSize}&offset=${offset}`);
    if (answer === null) return null;
    const { data, total_count: total } = usable(MembershipPage, answer);
    const memberships = data.flatMap((record) => readIdpMembership(record, askedAt) ?? []);
    const end = offset + data.length;
    return { memberships, next: data.length > 0 && end < total ? end : null };
  };
  const readUser = async (idpUserId: string) =>
    idShape.test(idpUserId) ? await get(`/users/${idpUserId}`) : null;
  const getUser = async (idpUserId: string) => {
    const answer = await readUser(idpUserId);
    return answer === null ? null : known(readIdpUser(answer, Date.now()));
  };
  return {
    isConfigured: options.secretKey !== undefined,
    getUser,
    findVerifiedEmail: async (id) => {
      const answer = await readUser(id);
      if (answer === null) return null;
      return known(readIdpUser(answer, 0)).idpUserId === id ? readVerifiedEmail(answer) : null;
    },
    findUser: async (id) => {
      const user = await getUser(id);
      return user && { idpUserId: user.idpUserId, email: user.email, name: user.name };
    },
    listUsers: async (ids) => {
      const idParameters = ids.filter((id) => idShape.test(id)).map((id) => `user_id=${id}`);
      if (idParameters.length === 0) return [];
      const answer = await get(`/users?limit=${idParameters.length}&${idParameters.join('&')}`);
      return usable(z.array(z.unknown()), answer).flatMap((record) => readIdpUser(record, Date.now()) ?? []);
    },
    getOrganization: async (id) => {
      const answer = idShape.test(id) ? await get(`/organizations/${id}`) : null;
      return answer === null ? null : known(readIdpOrganization(answer, Date.now()));
    },
    listMembershipsOfUser: async (id) => {
      if (!idShape.test(id)) return null;
      const all: IdentityMembership[] = [];
      for (let offset: number | null = 0; offset !== null; ) {
        // A partial list would look as if the other memberships had ended.
        if (offset > maxMemberships) throw unusable('the answer has more memberships than a person can have');
        const page = await pageOf(`/users/${id}/organization_memberships`, offset);
        if (page === null) return null;
        all.push(...page.memberships);
        offset = page.next;
      }
      return all;
    },
    listMembershipsOfOrganization: async (id, offset) =>
      idShape.test(id) ? await pageOf(`/organizations/${id}/memberships`, offset) : null,
  };
}

/** Reads a path; `null` for missing records, and for everything while no key is configured. */
function createReader(settings: IdpSettings) {
  const send = createIdpTransport(settings);
  return async (path: string): Promise<unknown> =>
    settings.secretKey ? await send({ method: 'GET', path }).catch(refusedReading) : null;
}

/** A refused read isn't the caller's fault, so it counts as no answer. */
function refusedReading(error: unknown): never {
  const isRefusal = error instanceof HttpError && error.status < 500;
  throw isRefusal ? unavailable('the identity provider gave no usable answer', { cause: error }) : error;
}
