import type { Role } from '@botyard/shared/auth/caller';
import type { PlatformTx, TenantTx } from '@botyard/shared/db/database';

/**
 * So many things a person reaches in one tenant at most, the nearest first: no tenant's graph can make the requests of
 * somebody who is tied to it expensive, and what lies further away is refused.
 */
export const mostReachedInTenant = 5000;
const mostStepsExplained = 20_000;

/**
 * All that the person of `person` reaches in tenant `d.tenant_id`: a step goes from a thing to what it is a subject of,
 * and an admin is a member too. `union` ends cycles; a walk never leaves its tenant, since groups of several may have one name.
 */
const walkInTenant = `
  with recursive walk as (
    (select 'tenant' as object_type, m.tenant_id::text as object_id, m.role as relation
       from tenancy.memberships m where m.tenant_id = d.tenant_id and m.user_id = person.user_id
     union
     select e.object_type, e.object_id, e.relation from tenancy.edges e
       where e.tenant_id = d.tenant_id and e.subject_type = 'user' and e.subject_id = person.user_id::text)
    union
    select e.object_type, e.object_id, e.relation
      from walk w join tenancy.edges e on e.tenant_id = d.tenant_id
       and e.subject_type = w.object_type and e.subject_id = w.object_id
       and (e.subject_relation = 'member' or e.subject_relation = w.relation))
  select object_type, object_id, relation from walk limit ${mostReachedInTenant}`;

/**
 * What the person of the common table `person` (user_id) reaches, as common tables: `reached` (tenant_id, object_type,
 * object_id, relation). A tenant without edges needs no walk: its memberships say it all.
 */
export const reachedTables = `
  ties as (
    select m.tenant_id from tenancy.memberships m join person using (user_id)
    union
    select e.tenant_id from tenancy.edges e join person on e.subject_type = 'user' and e.subject_id = person.user_id::text),
  reached as (
    select m.tenant_id, 'tenant' as object_type, m.tenant_id::text as object_id, m.role as relation
      from tenancy.memberships m join person using (user_id)
    union
    select d.tenant_id, w.object_type, w.object_id, w.relation
      from ties d cross join person cross join lateral (${walkInTenant}) w
      where exists (select from tenancy.edges e where e.tenant_id = d.tenant_id))`;

export interface Reached {
  object_type: 'tenant' | 'bot' | 'group';
  object_id: string;
  relation: Role;
}

/** What a living person reaches in one tenant; nothing for somebody who was deleted or never was. */
export async function listReached(
  tx: PlatformTx,
  { tenantId, userId }: { tenantId: string; userId: string },
): Promise<Reached[]> {
  return await tx.query<Reached & Record<string, unknown>>({
    name: 'tenancy.walk.reached',
    text: `with person as (select user_id from tenancy.users where user_id = $2 and deleted_at is null)
           select w.object_type, w.object_id, w.relation
             from (select $1::uuid as tenant_id) d cross join person cross join lateral (${walkInTenant}) w`,
    values: [tenantId, userId],
  });
}

/** A step of a walk: an edge with its ends. */
export interface Step {
  edge_id: string;
  subject_type: 'user' | 'group' | 'tenant';
  subject_id: string;
  subject_relation: '' | Role;
  relation: Role;
  object_type: 'tenant' | 'bot' | 'group';
  object_id: string;
  created_at: Date;
}

/** Every edge that a person's walk through a tenant takes, the nearest first. For explaining, not for deciding. */
export async function listSteps(
  tx: TenantTx,
  { tenantId, userId }: { tenantId: string; userId: string },
): Promise<Step[]> {
  const columns = `edge_id, subject_type, subject_id, subject_relation, relation, object_type, object_id, created_at`;
  return await tx.query<Step & Record<string, unknown>>({
    name: 'tenancy.walk.steps',
    text: `with recursive walk as (
             (select edge_id, 'user' as subject_type, user_id::text as subject_id, '' as subject_relation, role as relation,
                'tenant' as object_type, tenant_id::text as object_id, created_at
                from tenancy.memberships where tenant_id = $1 and user_id = $2
              union
              select ${columns} from tenancy.edges
                where tenant_id = $1 and subject_type = 'user' and subject_id = $2::uuid::text)
             union
             select e.edge_id, e.subject_type, e.subject_id, e.subject_relation, e.relation, e.object_type, e.object_id,
                 e.created_at
               from walk w join tenancy.edges e on e.tenant_id = $1
                and e.subject_type = w.object_type and e.subject_id = w.object_id
                and (e.subject_relation = 'member' or e.subject_relation = w.relation))
           select ${columns} from walk limit ${mostStepsExplained}`,
    values: [tenantId, userId],
  });
}
