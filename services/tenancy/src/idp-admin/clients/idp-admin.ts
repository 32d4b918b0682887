import type {
  IdentityMembership,
  IdentityOrganization,
  IdentityUser,
} from '@botyard/contracts/events/webhooks-identity';
import {
  readIdpMembership,
  readIdpMoment,
  readIdpOrganization,
  readIdpUser,
} from '@botyard/shared/auth/idp-records';
import { z } from 'zod';
import {
  createIdpTransport,
  type IdpRequest,
  type IdpSettings,
  known,
  usable,
} from '../../clients/idp-transport.ts';

/** A user in the form for operators: the stored data, and the provider's. */
export interface AdminUser extends IdentityUser {
  banned: boolean;
  locked: boolean;
  createdAt: number | null;
  lastSignInAt: number | null;
}

export interface AdminOrganization extends IdentityOrganization {
  slug: string | null;
  membersCount: number | null;
  createdAt: number | null;
}

export interface AdminMembership extends IdentityMembership {
  createdAt: number | null;
}

export interface Place {
  limit: number;
  offset: number;
}

interface AdminPage<Item> {
  items: Item[];
  /** Start of the next page; `null` on the last one. */
  next: number | null;
}

/**
 * Operators' actions at the identity provider. Lists are newest first. Unknown records are `null`. The caller has to
 * validate identifiers. @throws HttpError as `IdpTransport`.
 */
export interface IdpAdminClient {
  listUsers(
    place: Place,
    filter: { query?: string | undefined; email?: string | undefined },
  ): Promise<AdminPage<AdminUser>>;
  getUser(idpUserId: string): Promise<AdminUser | null>;
  setBanned(idpUserId: string, isBanned: boolean): Promise<AdminUser | null>;
  /** Resolves with whether there was one. */
  deleteUser(idpUserId: string): Promise<boolean>;
  listOrganizations(
    place: Place,
    filter: { query?: string | undefined },
  ): Promise<AdminPage<AdminOrganization>>;
  getOrganization(idpOrgId: string): Promise<AdminOrganization | null>;
  createOrganization(organization: { name: string; createdBy: string }): Promise<AdminOrganization | null>;
  renameOrganization(idpOrgId: string, name: string): Promise<AdminOrganization | null>;
  deleteOrganization(idpOrgId: string): Promise<boolean>;
  listMemberships(idpOrgId: string, place: Place): Promise<AdminPage<AdminMembership> | null>;
  addMembership(key: MembershipOf, idpRole: string): Promise<AdminMembership | null>;
  changeMembership(key: MembershipOf, idpRole: string): Promise<AdminMembership | null>;
  removeMembership(key: MembershipOf): Promise<AdminMembership | null>;
}

export interface MembershipOf {
  idpOrgId: string;
  idpUserId: string;
}

/** The provider's largest page. */
const maxOfPage = 500;
const List = z.array(z.unknown());
const Counted = z.object({ data: List, total_count: z.int().min(0) });
const UserMore = z.object({
  banned: z.boolean().catch(false),
  locked: z.boolean().catch(false),
  created_at: z.unknown().optional(),
  last_sign_in_at: z.unknown().optional(),
});
const OrganizationMore = z.object({
  slug: z.string().max(300).nullish().catch(null),
  members_count: z.int().min(0).nullish().catch(null),
  created_at: z.unknown().optional(),
});
const MembershipMore = z.object({ created_at: z.unknown().optional() });

export function createIdpAdminClient(settings: IdpSettings): IdpAdminClient {
  const send = createIdpTransport(settings);
  const read = async <Item>(request: IdpRequest, toItem: (record: unknown) => Item | null) => {
    const answer = await send(request);
    return answer === null ? null : known(toItem(answer));
  };
  const remove = async (path: string) => (await send({ method: 'DELETE', path })) !== null;
  const listOf = async <Item>(path: string, place: Place, toItem: (record: unknown) => Item | null) => {
    const answer = await send({ method: 'GET', path });
    if (answer === null) return null;
    const { data, total_count: total } = usable(Counted, answer);
    const end = place.offset + data.length;
    return {
      items: data.flatMap((record) => toItem(record) ?? []),
      next: data.length > 0 && end < total ? end : null,
    };
  };
  return {
    listUsers: async (place, { query, email }) => {
      // The answer contains no total, so one extra item shows whether there is a next page.
      const limit = Math.min(place.limit + 1, maxOfPage);
      const path = `/users${search({ ...place, limit }, { query, email_address: email })}`;
      return pageOfUsers(usable(List, await send({ method: 'GET', path })), place);
    },
    getUser: (id) => read({ method: 'GET', path: `/users/${id}` }, only(toUser, isUser(id))),
    setBanned: (id, isBanned) =>
      read({ method: 'POST', path: `/users/${id}/${isBanned ? 'ban' : 'unban'}` }, only(toUser, isUser(id))),
    deleteUser: (id) => remove(`/users/${id}`),
    listOrganizations: async (place, filter) =>
      known(await listOf(`/organizations${search(place, filter)}`, place, toOrganization)),
    // The provider accepts a name in the path, too.
    getOrganization: async (id) => {
      const organization = await read({ method: 'GET', path: `/organizations/${id}` }, toOrganization);
      return organization?.idpOrgId === id ? organization : null;
    },
    createOrganization: ({ name, createdBy }) =>
      read({ method: 'POST', path: '/organizations', body: { name, created_by: createdBy } }, toOrganization),
    renameOrganization: (id, name) =>
      read(
        { method: 'PATCH', path: `/organizations/${id}`, body: { name } },
        only(toOrganization, isOrganization(id)),
      ),
    deleteOrganization: (id) => remove(`/organizations/${id}`),
    listMemberships: (id, place) =>
      listOf(`/organizations/${id}/memberships${search(place, {})}`, place, toMembership),
    addMembership: (key, role) =>
      read(
        {
          method: 'POST',
          path: `/organizations/${key.idpOrgId}/memberships`,
          body: { user_id: key.idpUserId, role },
        },
        only(toMembership, isBetween(key)),
      ),
    changeMembership: (key, role) =>
      read({ method: 'PATCH', path: pathOf(key), body: { role } }, only(toMembership, isBetween(key))),
    removeMembership: (key) =>
      read({ method: 'DELETE', path: pathOf(key) }, only(toMembership, isBetween(key))),
  };
}

/** A record of another person or organization doesn't count as an answer. */
const only =
  <Item>(toItem: (record: unknown) => Item | null, isAsked: (item: Item) => boolean) =>
  (record: unknown): Item | null => {
    const item = toItem(record);
    return item && isAsked(item) ? item : null;
  };
const isOrganization = (id: string) => (organization: AdminOrganization) => organization.idpOrgId === id;
const isUser = (id: string) => (user: AdminUser) => user.idpUserId === id;
const isBetween =
  ({ idpOrgId, idpUserId }: MembershipOf) =>
  ({ user, organization }: AdminMembership) =>
    user.idpUserId === idpUserId && organization.idpOrgId === idpOrgId;

const pathOf = ({ idpOrgId, idpUserId }: MembershipOf): string =>
  `/organizations/${idpOrgId}/memberships/${idpUserId}`;

function search({ limit, offset }: Place, filter: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams({
    limit: String(limit),
    offset: String(offset),
    order_by: '-created_at',
  });
  for (const [name, value] of Object.entries(filter)) if (value !== undefined) query.set(name, value);
  return `?${query}`;
}

function pageOfUsers(records: readonly unknown[], { limit, offset }: Place): AdminPage<AdminUser> {
  const isMore = records.length > limit || records.length === maxOfPage;
  const items = records.slice(0, limit).flatMap((record) => toUser(record) ?? []);
  return { items, next: isMore ? offset + limit : null };
}

function toUser(record: unknown): AdminUser | null {
  const user = readIdpUser(record, Date.now());
  const more = UserMore.safeParse(record).data;
  if (!user || !more) return null;
  return {
    ...user,
    banned: more.banned,
    locked: more.locked,
    createdAt: readIdpMoment(more.created_at),
    lastSignInAt: readIdpMoment(more.last_sign_in_at),
  };
}

function toOrganization(record: unknown): AdminOrganization | null {
  const organization = readIdpOrganization(record, Date.now());
  const more = OrganizationMore.safeParse(record).data;
  if (!organization || !more) return null;
  return {
    ...organization,
    slug: more.slug?.toWellFormed() ?? null,
    membersCount: more.members_count ?? null,
    createdAt: readIdpMoment(more.created_at),
  };
}

function toMembership(record: unknown): AdminMembership | null {
  const membership = readIdpMembership(record, Date.now());
  const more = MembershipMore.safeParse(record).data;
  return membership && more ? { ...membership, createdAt: readIdpMoment(more.created_at) } : null;
}
