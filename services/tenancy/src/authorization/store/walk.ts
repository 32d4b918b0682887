import type { PlatformTx } from '@botyard/shared/db/database';
import { alias } from '@botyard/shared/db/drizzle';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { edges } from '../../store/authorization-schema.ts';

/**
 * The most objects that a person reaches in one tenant, nearest first. It limits the cost of a person's requests in any
 * tenant's graph. Anything further away is refused.
 */
export const maxReachedInTenant = 5000;
const maxStepsExplained = 20_000;

const stepColumns =
  'edge_id, subject_type, subject_id, subject_relation, relation, object_type, object_id, created_at';

/**
 * The next edges from an object `w` of the walk. `offset 0` makes Postgres look them up by index, one object at a time:
 * it can't estimate the length of a walk, and would otherwise read all edges once.
 */
const stepFrom = (tenantId: string): string => `
  select ${stepColumns} from tenancy.edges e
    where e.tenant_id = ${tenantId} and e.subject_type = w.object_type and e.subject_id = w.object_id
      and (e.subject_relation = 'member' or e.subject_relation = w.relation) offset 0`;

/**
 * Everything that the person of `person` reaches in tenant `d.tenant_id`. A step leads from a subject to its object,
 * and an admin is also a member. `union` ends cycles. A walk never leaves its tenant, since groups of several tenants
 * may share a name.
 */
const walkInTenant = `
  with recursive walk as (
    (select 'tenant' as object_type, m.tenant_id::text as object_id, m.role as relation
       from tenancy.memberships m where m.tenant_id = d.tenant_id and m.user_id = person.user_id
     union
     select e.object_type, e.object_id, e.relation from tenancy.edges e
       where e.tenant_id = d.tenant_id and e.subject_type = 'user' and e.subject_id = person.subject_id)
    union
    select step.object_type, step.object_id, step.relation
      from walk w cross join lateral (${stepFrom('d.tenant_id')}) step)
  select object_type, object_id, relation from walk limit ${maxReachedInTenant}`;

/**
 * Common table expressions for the reach of the person in the common table `person` (user_id, and the same as text:
 * subject_id): `reached` (tenant_id, object_type, object_id, relation). A tenant without edges needs no walk: its
 * memberships are enough. A cast inside a join would keep Postgres from using the index, since it may not run before
 * the policies of the rows. The check for edges has an order, because Postgres would read all edges for a plain
 * "exists".
 */
export const reachedTables = `
  ties as (
    select m.tenant_id from tenancy.memberships m join person using (user_id)
    union
    select e.tenant_id from tenancy.edges e join person on e.subject_type = 'user' and e.subject_id = person.subject_id),
  reached as (
    select m.tenant_id, 'tenant' as object_type, m.tenant_id::text as object_id, m.role as relation
      from tenancy.memberships m join person using (user_id)
    union
    select d.tenant_id, w.object_type, w.object_id, w.relation
      from ties d cross join person
        cross join lateral (
          select e.edge_id from tenancy.edges e where e.tenant_id = d.tenant_id order by e.edge_id limit 1) some_edge
        cross join lateral (${walkInTenant}) w)`;

const w = alias(edges, 'w');
const reached = columns({ object_type: w.objectType, object_id: w.objectId, relation: w.relation });
export type Reached = RowOf<typeof reached>;

/** A person's reach in one tenant; empty for deleted or unknown people. */
export async function listReached(
  tx: PlatformTx,
  { tenantId, userId }: { tenantId: string; userId: string },
): Promise<Reached[]> {
  return await tx.query({
    name: 'tenancy.walk.reached',
    text: typedSql`with person as (select user_id, user_id::text as subject_id from tenancy.users where user_id = $2 and deleted_at is null)
           select ${reached}
             from (select $1::uuid as tenant_id) d cross join person cross join lateral (${walkInTenant}) w`,
    values: [tenantId, userId],
  });
}

export const stepParts = {
  edge_id: edges.edgeId,
  subject_type: edges.subjectType,
  subject_id: edges.subjectId,
  subject_relation: edges.subjectRelation,
  relation: edges.relation,
  object_type: edges.objectType,
  object_id: edges.objectId,
  created_at: edges.createdAt,
};
const step = columns(stepParts);
/** A step of a walk: an edge with both ends. */
export type Step = RowOf<typeof step>;

/** Every edge of a person's walk through a tenant, nearest first. Used for explanations, and not for decisions. */
export const listSteps = preparedStatement({
  name: 'tenancy.walk.steps',
  text: typedSql`with recursive walk as (
           (select edge_id, 'user' as subject_type, user_id::text as subject_id, '' as subject_relation, role as relation,
              'tenant' as object_type, tenant_id::text as object_id, created_at
              from tenancy.memberships where tenant_id = $1 and user_id = $2
            union
            select ${stepColumns} from tenancy.edges
              where tenant_id = $1 and subject_type = 'user' and subject_id = $2::uuid::text)
           union
           select ${stepColumns.replace(/\w+/g, 'step.$&')} from walk w cross join lateral (${stepFrom('$1')}) step)
         select ${step} from walk limit ${maxStepsExplained}`,
  values: ({ tenantId, userId }: { tenantId: string; userId: string }) => [tenantId, userId],
});
