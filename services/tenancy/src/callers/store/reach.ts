import type { Role } from '@botyard/shared/auth/caller';
import type { PlatformTx } from '@botyard/shared/db/database';
import { reachedTables } from '../../authorization/store/walk.ts';

/** Ties to single bots that are told of one person; taken from their tenants in turn, so that none crowds out another. */
const maxTies = 2000;

export interface ReachRow {
  user_id: string;
  email: string | null;
  is_deleted: boolean;
  roles: { tenantId: string; role: Role }[];
  /** Those that give more than the role in the bot's tenant. */
  bots: { botId: string; tenantId: string; role: Role }[];
  policed_tenant_ids: string[];
  /** Memberships, by whether the person has come to their tenants. */
  visited_tenant_ids: string[];
  unvisited_tenant_ids: string[];
  selected_tenant_id: string | null;
  org_tenant_id: string | null;
}

/** A person with all that decides what they reach, in one read. `admin` sorts before `member`, so the least is the most. */
export async function getReach(
  tx: PlatformTx,
  key: { idpUserId: string; sessionId: string; orgId: string | null },
): Promise<ReachRow | undefined> {
  const [row] = await tx.query<ReachRow & Record<string, unknown>>({
    name: 'tenancy.reach',
    text: `with person as (select *, user_id::text as subject_id from tenancy.users where idp_user_id = $1),
           ${reachedTables},
           roles as (
             select tenant_id, min(relation) as role from reached where object_type = 'tenant' group by tenant_id),
           bots as (
             select r.tenant_id, r.object_id, min(r.relation) as role,
                 row_number() over (partition by r.tenant_id order by r.object_id desc) as turn
               from reached r left join roles on roles.tenant_id = r.tenant_id
               where r.object_type = 'bot' and (roles.role is null or r.relation < roles.role)
               group by r.tenant_id, r.object_id
               order by turn limit ${maxTies})
           select u.user_id, u.email, u.deleted_at is not null as is_deleted,
             coalesce((select json_agg(json_build_object('tenantId', tenant_id, 'role', role)) from roles), '[]') as roles,
             coalesce((select json_agg(json_build_object('botId', object_id, 'tenantId', tenant_id, 'role', role))
                       from bots), '[]') as bots,
             coalesce((select json_agg(distinct p.tenant_id) from tenancy.policies p
                       where p.is_enabled and p.tenant_id in (select tenant_id from reached)), '[]') as policed_tenant_ids,
             coalesce((select json_agg(m.tenant_id) filter (where m.visited_at is not null)
                       from tenancy.memberships m where m.user_id = u.user_id), '[]') as visited_tenant_ids,
             coalesce((select json_agg(m.tenant_id) filter (where m.visited_at is null)
                       from tenancy.memberships m where m.user_id = u.user_id), '[]') as unvisited_tenant_ids,
             (select s.tenant_id from tenancy.session_tenants s
              where s.session_id = $2 and s.user_id = u.user_id) as selected_tenant_id,
             (select t.tenant_id from tenancy.tenants t where t.idp_org_id = $3) as org_tenant_id
           from person u`,
    values: [key.idpUserId, key.sessionId, key.orgId],
  });
  return row;
}
