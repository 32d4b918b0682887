import type {
  IdentityUser as FullIdpUser,
  IdentityMembership,
  IdentityOrganization,
} from '@botyard/shared/events/webhooks';
import { HttpError, unavailable } from '@botyard/shared/http/errors';
import { readIdpMembership, readIdpOrganization, readIdpUser } from '@botyard/shared/idp/records';
import type { Secret } from '@botyard/shared/secrets/secret';
import { z } from 'zod';

export interface IdpUser {
  idpUserId: string;
  email: string | null;
  name: string | null;
}

/**
 * The identity provider's API. Every call @throws HttpError 503 when it doesn't answer or asks to wait; then
 * `retryAfterSeconds` says how long.
 */
export interface IdpClient {
  /** Without its secret key nothing can be asked: nobody is known then, and lists are empty. */
  readonly isConfigured: boolean;
  /** `null` when the provider doesn't know the person, or none is configured. */
  findUser(idpUserId: string): Promise<IdpUser | null>;
  getUser(idpUserId: string): Promise<FullIdpUser | null>;
  /** Those of at most 100 people whom the provider knows. */
  listUsers(idpUserIds: readonly string[]): Promise<FullIdpUser[]>;
  getOrganization(idpOrgId: string): Promise<IdentityOrganization | null>;
  /** All of a person; `null` when the provider doesn't know them. */
  listMembershipsOfUser(idpUserId: string): Promise<IdentityMembership[] | null>;
  /** A page of an organization's; `null` when the provider doesn't know it. */
  listMembershipsOfOrganization(
    idpOrgId: string,
    offset: number,
  ): Promise<{ memberships: IdentityMembership[]; next: number | null } | null>;
}

const timeoutMs = 5000;
const pageSize = 100;
/** Of one person: more than the provider lets anybody have. */
const mostMemberships = 2000;
const longestWaitSeconds = 60;
const apiVersion = '2025-11-10';
/** Of nothing else is the provider asked: an identifier becomes a part of the address. */
const idShape = /^[\w-]{1,200}$/;

const MembershipPage = z.object({ data: z.array(z.unknown()), total_count: z.number().int().min(0) });

export function createIdpClient(options: { baseUrl: string; secretKey: Secret | undefined }): IdpClient {
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
  const getUser = async (idpUserId: string) => {
    const answer = idShape.test(idpUserId) ? await get(`/users/${idpUserId}`) : null;
    return answer === null ? null : known(readIdpUser(answer, Date.now()));
  };
  return {
    isConfigured: options.secretKey !== undefined,
    getUser,
    findUser: async (id) => {
      const user = await getUser(id);
      return user && { idpUserId: user.idpUserId, email: user.email, name: user.name };
    },
    listUsers: async (ids) => {
      const asked = ids.filter((id) => idShape.test(id)).map((id) => `user_id=${id}`);
      if (asked.length === 0) return [];
      const answer = await get(`/users?limit=${asked.length}&${asked.join('&')}`);
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
        // A part of the list would look as if the rest were gone.
        if (offset > mostMemberships) throw unusable('more memberships than anybody can have');
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

/** Reads a path; `null` for what isn't there, and for everything while no key is configured. */
function createReader({ baseUrl, secretKey }: { baseUrl: string; secretKey: Secret | undefined }) {
  return async (path: string): Promise<unknown> => {
    if (!secretKey) return null;
    const response = await fetch(`${baseUrl}${path}`, {
      headers: { authorization: `Bearer ${secretKey.reveal()}`, 'clerk-api-version': apiVersion },
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    }).catch((error: unknown) => {
      throw unavailable('the identity provider does not answer', { cause: error });
    });
    if (response.status === 404) return null;
    if (response.status === 429) throw askedToWait(response);
    const body: unknown = await response.json().catch(() => undefined);
    if (!response.ok || body === undefined) throw unusable(`status ${response.status}`);
    return body;
  };
}

function askedToWait(response: Response): HttpError {
  const asked = Number(response.headers.get('retry-after') ?? 1);
  const retryAfterSeconds = Math.min(longestWaitSeconds, Math.max(1, Math.ceil(asked) || 1));
  return new HttpError(503, 'the identity provider asks to wait', { retryAfterSeconds });
}

const unusable = (reason: string): HttpError =>
  unavailable('the identity provider gave no usable answer', { cause: new Error(reason) });

function usable<Schema extends z.ZodType>(schema: Schema, answer: unknown): z.output<Schema> {
  const parsed = schema.safeParse(answer);
  if (!parsed.success) throw unusable('not the shape that was expected');
  return parsed.data;
}

function known<Record>(record: Record | null): Record {
  if (record === null) throw unusable('not the record that was asked for');
  return record;
}
