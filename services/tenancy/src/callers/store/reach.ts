import type { PlatformTx } from '@botyard/shared/db/database';
import { alias } from '@botyard/shared/db/drizzle';
import { allOf, boolean, like, orNull, shape, text, texts } from '@botyard/shared/db/expressions';
import { columns, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { reachedTables } from '../../authorization/store/walk.ts';
import { edges } from '../../store/authorization-schema.ts';
import { memberships, users } from '../../store/schema.ts';

/**
 * Limit on a person's relationships with single bots. They are taken from their tenants in turn, so that no tenant
 * displaces another.
 */
const maxTies = 2000;

const u = alias(users, 'u');
const ofTenant = { tenantId: edges.tenantId, role: like(memberships.role, 'role') };
const membershipsThat = (condition: string) =>
  texts(`array(select m.tenant_id from tenancy.memberships m where m.user_id = u.user_id and ${condition})`);
const reach = columns({
  user_id: u.userId,
  email: u.email,
  is_deleted: boolean('u.deleted_at is not null'),
  roles: allOf(shape(ofTenant), 'from roles'),
  /** Only those that give more than the role in the bot's tenant. */
  bots: allOf(shape({ botId: edges.objectId, ...ofTenant }), 'from bots'),
  responds: allOf(shape({ botId: edges.objectId, tenantId: edges.tenantId }), 'from responds'),
  policed_tenant_ids: texts(`array(select distinct p.tenant_id from tenancy.policies p
    where p.is_enabled and p.tenant_id in (select tenant_id from reached))`),
  /** Memberships, by whether the person has visited their tenants. */
  visited_tenant_ids: membershipsThat('m.visited_at is not null'),
  unvisited_tenant_ids: membershipsThat('m.visited_at is null'),
  selected_tenant_id: orNull(
    text(
      '(select s.tenant_id from tenancy.session_tenants s where s.session_id = $2 and s.user_id = u.user_id)',
    ),
  ),
  org_tenant_id: orNull(text('(select t.tenant_id from tenancy.tenants t where t.idp_org_id = $3)')),
});
export type ReachRow = RowOf<typeof reach>;

const reachText = typedSql`
  with person as (select *, user_id::text as subject_id from tenancy.users where idp_user_id = $1),
  ${reachedTables},
  roles as (
    select tenant_id, min(relation) as role from reached where object_type = 'tenant' group by tenant_id),
  bots as (
    select r.tenant_id, r.object_id, min(r.relation) as role,
        row_number() over (partition by r.tenant_id order by r.object_id desc) as turn
      from reached r left join roles on roles.tenant_id = r.tenant_id
      where r.object_type = 'bot' and r.relation <> 'responder' and (roles.role is null or r.relation < roles.role)
      group by r.tenant_id, r.object_id
      order by turn limit ${maxTies}),
  responds as (
    select r.tenant_id, r.object_id from reached r
      where r.object_type = 'bot' and r.relation = 'responder'
      order by r.object_id desc limit ${maxTies})
  select ${reach} from person u`;

/**
 * A person with everything that determines their reach, in one read. `admin` sorts before `member`, so the minimum is
 * the strongest role.
 */
export async function getReach(
  tx: PlatformTx,
  key: { idpUserId: string; sessionId: string; orgId: string | null },
): Promise<ReachRow | undefined> {
  return await tx.first({
    name: 'tenancy.reach',
    text: reachText,
    values: [key.idpUserId, key.sessionId, key.orgId],
  });
}
