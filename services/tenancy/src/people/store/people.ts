import type { ListUsersQuery } from '@botyard/contracts/http/users';
import type { Role } from '@botyard/shared/auth/caller';
import type { PlatformTx } from '@botyard/shared/db/database';
import { and, eq, inArray, isNull } from '@botyard/shared/db/drizzle';
import { containing } from '@botyard/shared/db/sorting';
import { users } from '../../store/schema.ts';

/** Whose people may be seen: those of these tenants, or everybody. */
export type Reach = readonly string[] | 'everybody';

export interface PersonRow {
  userId: string;
  idpUserId: string;
  email: string | null;
  name: string | null;
  createdAt: Date;
  tenants: { tenantId: string; role: Role; isVisited: boolean }[];
}

const idsOf = (reach: Reach) => (reach === 'everybody' ? null : reach);

/** Which people of a reach are wanted, and in which order. */
export interface PeopleRequest extends Pick<ListUsersQuery, 'limit' | 'before' | 'q' | 'role'> {
  /** By default the newest first. */
  sort?: ListUsersQuery['sort'];
  userId?: string;
  isForOperator?: boolean;
}

/** Name and address as they are told: whoever is not told of them finds and sorts nobody by them. */
const sortTexts: Readonly<Record<string, string>> = {
  name: "lower(coalesce(person.name, ''))",
  email: "lower(coalesce(person.email, ''))",
};

/**
 * People within a reach who are not deleted, with their ties within it; one more than the limit. Name, address and the moment
 * of the first sight are told of those who have come to one of the tenants, and to operators.
 */
export async function listPeople(tx: PlatformTx, reach: Reach, page: PeopleRequest): Promise<PersonRow[]> {
  const { before, q, role, sort = '-createdAt' } = page;
  const column = sortTexts[sort.replace('-', '')];
  const [direction, sign] = sort.startsWith('-') ? ['desc', '<'] : ['asc', '>'];
  const after = column
    ? `(${column}, person."userId") ${sign} (lower($6::text), $2::uuid)`
    : `person."userId" ${sign} $2::uuid and $6::text is not null`;
  return await tx.query<PersonRow & Record<string, unknown>>({
    name: `tenancy.people.list.${sort}`,
    text: `select * from (
             select u.user_id as "userId", u.idp_user_id as "idpUserId",
               case when tie.is_shown then u.email end as email, case when tie.is_shown then u.name end as name,
               case when tie.is_shown then u.created_at else tie.added_at end as "createdAt",
               coalesce(tie.tenants, '[]') as tenants
             from tenancy.users u
             cross join lateral (
               select $5 or bool_or(m.visited_at is not null) as is_shown, min(m.created_at) as added_at,
                 bool_or(m.role = $8) as has_role,
                 json_agg(json_build_object('tenantId', m.tenant_id, 'role', m.role, 'isVisited', m.visited_at is not null)
                   order by m.tenant_id desc) as tenants
               from tenancy.memberships m
               where m.user_id = u.user_id and ($1::uuid[] is null or m.tenant_id = any ($1))) tie
             where u.deleted_at is null and ($3::uuid is null or u.user_id = $3) and ($8::text is null or tie.has_role)
               and ($1::uuid[] is null or u.user_id in (select user_id from tenancy.memberships where tenant_id = any ($1)))) person
           where ($2::uuid is null or ${after})
             and ($7::text is null or person.name ilike $7 or person.email ilike $7)
           order by ${column ? `${column} ${direction}, ` : ''}person."userId" ${direction} limit $4`,
    values: [
      idsOf(reach),
      before?.id ?? null,
      page.userId ?? null,
      page.limit + 1,
      page.isForOperator ?? false,
      before?.value ?? null,
      q === undefined ? null : containing(q),
      role ?? null,
    ],
  });
}

/** Where a person stands in a list that is sorted by the field. */
export const placeOfPerson = ({ userId, name, email }: PersonRow, field: string) => ({
  id: userId,
  ...(field === 'name' ? { value: name } : field === 'email' ? { value: email } : {}),
});

export interface PeopleCounts {
  users: number;
  admins: number;
  members: number;
  withoutTenant: number;
  newLast7Days: number;
}

export async function countPeople(tx: PlatformTx, reach: Reach): Promise<PeopleCounts> {
  const [row] = await tx.query<PeopleCounts & Record<string, unknown>>({
    name: 'tenancy.people.count',
    text: `with ties as (
             select user_id, bool_or(role = 'admin') as is_admin from tenancy.memberships
             where $1::uuid[] is null or tenant_id = any ($1) group by user_id)
           select count(*)::int as users,
             (count(*) filter (where ties.is_admin))::int as admins,
             (count(*) filter (where not ties.is_admin))::int as members,
             (count(*) filter (where ties.user_id is null))::int as "withoutTenant",
             (count(*) filter (where u.created_at > now() - interval '7 days'))::int as "newLast7Days"
           from tenancy.users u left join ties using (user_id)
           where u.deleted_at is null and ($1::uuid[] is null or ties.user_id is not null)`,
    values: [idsOf(reach)],
  });
  return row!;
}

export type NamedPerson = Pick<PersonRow, 'userId' | 'idpUserId' | 'email' | 'name'>;

/** Deleted people too: their ties are shown until they are removed. */
export async function listPeopleByIds(tx: PlatformTx, userIds: readonly string[]): Promise<NamedPerson[]> {
  if (userIds.length === 0) return [];
  const { userId, idpUserId, email, name } = users;
  return await tx.db
    .select({ userId, idpUserId, email, name })
    .from(users)
    .where(inArray(userId, [...userIds]));
}

export async function getLivingPerson(tx: PlatformTx, userId: string): Promise<NamedPerson | undefined> {
  const [row] = await tx.db
    .select()
    .from(users)
    .where(and(eq(users.userId, userId), isNull(users.deletedAt)));
  return row;
}

/** Those of these users who are of the tenant; names are told of those who have come to it. */
export async function listStaff(
  tx: PlatformTx,
  { tenantId, userIds }: { tenantId: string; userIds: readonly string[] },
): Promise<Pick<PersonRow, 'userId' | 'name'>[]> {
  return await tx.query<Pick<PersonRow, 'userId' | 'name'> & Record<string, unknown>>({
    name: 'tenancy.people.staff',
    text: `select u.user_id as "userId", case when m.visited_at is not null then u.name end as name
           from tenancy.memberships m join tenancy.users u on u.user_id = m.user_id
           where m.tenant_id = $1 and m.user_id = any ($2::uuid[]) and u.deleted_at is null order by 1`,
    values: [tenantId, userIds],
  });
}
