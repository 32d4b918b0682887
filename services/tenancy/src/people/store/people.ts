import type { ListUsersQuery } from '@botyard/contracts/http/users';
import type { PlatformTx } from '@botyard/shared/db/database';
import { alias, and, eq, inArray, isNull } from '@botyard/shared/db/drizzle';
import { boolean, count, like, listOf, moment, number, shape } from '@botyard/shared/db/expressions';
import { containing } from '@botyard/shared/db/sorting';
import { columns, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { memberships, users } from '../../store/schema.ts';

/** The visible people: those of these tenants, or everybody. */
export type Reach = readonly string[] | 'everybody';

const u = alias(users, 'u');
const m = alias(memberships, 'm');
const tie = shape({ tenantId: m.tenantId, role: m.role, isVisited: boolean('m.visited_at is not null') });
const person = columns({
  userId: u.userId,
  idpUserId: u.idpUserId,
  email: like(u.email, 'case when tie.is_shown then u.email end'),
  name: like(u.name, 'case when tie.is_shown then u.name end'),
  createdAt: moment('case when tie.is_shown then u.created_at else tie.added_at end'),
  tenants: listOf(tie, `coalesce(tie.tenants, '[]')`),
});
type PersonRow = RowOf<typeof person>;

const idsOf = (reach: Reach) => (reach === 'everybody' ? null : reach);

/** Filters and order of a list of people. */
interface PeopleRequest extends Pick<ListUsersQuery, 'limit' | 'before' | 'q' | 'role'> {
  /** Defaults to newest first. */
  sort?: ListUsersQuery['sort'];
  userId?: string;
  isForOperator?: boolean;
}

/** Name and address as shown to the caller: hidden ones can't be used to search or sort. */
const sortTexts: Readonly<Record<string, string>> = {
  name: "lower(coalesce(person.name, ''))",
  email: "lower(coalesce(person.email, ''))",
};

/**
 * People within reach who are not deleted, with their relationships within it; one more than the limit. Name, address
 * and first visit are included for people who have visited one of the tenants, and for operators.
 */
export async function listPeople(tx: PlatformTx, reach: Reach, page: PeopleRequest): Promise<PersonRow[]> {
  const { before, q, role, sort = '-createdAt' } = page;
  const column = sortTexts[sort.replace('-', '')];
  const [direction, sign] = sort.startsWith('-') ? ['desc', '<'] : ['asc', '>'];
  const after = column
    ? `(${column}, person."userId") ${sign} (lower($beforeValue::text), $beforeId::uuid)`
    : `person."userId" ${sign} $beforeId::uuid and $beforeValue::text is not null`;
  return await tx.query({
    name: `tenancy.people.list.${sort}`,
    text: typedSql`select * from (
             select ${person}
             from tenancy.users u
             cross join lateral (
               select $isForOperator or bool_or(m.visited_at is not null) as is_shown, min(m.created_at) as added_at,
                 bool_or(m.role = $role) as has_role,
                 json_agg(${tie} order by m.tenant_id desc) as tenants
               from tenancy.memberships m
               where m.user_id = u.user_id and ($reach::uuid[] is null or m.tenant_id = any ($reach))) tie
             where u.deleted_at is null and ($userId::uuid is null or u.user_id = $userId) and ($role::text is null or tie.has_role)
               and ($reach::uuid[] is null or u.user_id in (select user_id from tenancy.memberships where tenant_id = any ($reach)))) person
           where ($beforeId::uuid is null or ${after})
             and ($search::text is null or person.name ilike $search or person.email ilike $search)
           order by ${column ? `${column} ${direction}, ` : ''}person."userId" ${direction} limit $limit`,
    values: {
      reach: idsOf(reach),
      userId: page.userId ?? null,
      limit: page.limit + 1,
      role: role ?? null,
      isForOperator: page.isForOperator ?? false,
      search: q === undefined ? null : containing(q),
      beforeId: before?.id ?? null,
      beforeValue: before?.value ?? null,
    },
  });
}

/** A person's cursor in a list that is sorted by the field. */
export const placeOfPerson = ({ userId, name, email }: PersonRow, field: string) => ({
  id: userId,
  ...(field === 'name' ? { value: name } : field === 'email' ? { value: email } : {}),
});

const peopleCounts = columns({
  users: count(),
  admins: number('count(*) filter (where ties.is_admin)'),
  members: number('count(*) filter (where not ties.is_admin)'),
  withoutTenant: number('count(*) filter (where ties.user_id is null)'),
  newLast7Days: number(`count(*) filter (where u.created_at > now() - interval '7 days')`),
});
type PeopleCounts = RowOf<typeof peopleCounts>;

export async function countPeople(tx: PlatformTx, reach: Reach): Promise<PeopleCounts> {
  return await tx.one({
    name: 'tenancy.people.count',
    text: typedSql`with ties as (
             select user_id, bool_or(role = 'admin') as is_admin from tenancy.memberships
             where $1::uuid[] is null or tenant_id = any ($1) group by user_id)
           select ${peopleCounts}
           from tenancy.users u left join ties using (user_id)
           where u.deleted_at is null and ($1::uuid[] is null or ties.user_id is not null)`,
    values: [idsOf(reach)],
  });
}

export type NamedPerson = Pick<PersonRow, 'userId' | 'idpUserId' | 'email' | 'name'>;

/** Includes deleted people: their relationships are shown until they are removed. */
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

/**
 * Those of these users who are members of the tenant, or responders of this or any bot. Names are included for members
 * who have visited it.
 */
export async function listStaff(
  tx: PlatformTx,
  {
    tenantId,
    userIds,
    botId = null,
  }: { tenantId: string; userIds: readonly string[]; botId?: string | null | undefined },
): Promise<Pick<PersonRow, 'userId' | 'name'>[]> {
  return await tx.query({
    name: 'tenancy.people.staff',
    text: typedSql`select ${columns({
      userId: u.userId,
      name: like(u.name, 'case when m.visited_at is not null then u.name end'),
    })}
           from tenancy.users u left join tenancy.memberships m on m.tenant_id = $1 and m.user_id = u.user_id
           where u.user_id = any ($2::uuid[]) and u.deleted_at is null
             and (m.user_id is not null or exists (select from tenancy.edges e where e.tenant_id = $1
               and e.subject_type = 'user' and e.subject_id = u.user_id::text and e.relation = 'responder'
               and ($3::uuid is null or e.bot_id = $3)))
           order by 1`,
    values: [tenantId, userIds, botId],
  });
}
