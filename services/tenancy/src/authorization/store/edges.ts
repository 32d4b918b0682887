import type { PageRequest } from '@botyard/contracts/http/page';
import type { TenantTx } from '@botyard/shared/db/database';
import { oneOf } from '@botyard/shared/db/expressions';
import { rowsOf, translated } from '@botyard/shared/db/rows';
import { nameFor } from '@botyard/shared/db/sorting';
import { columns, type RowOf, typedSql } from '@botyard/shared/db/typed-sql';
import { conflict, notFound } from '@botyard/shared/http/errors';
import { edges } from '../../store/authorization-schema.ts';
import { stepParts } from './walk.ts';

const edgeOfAnyKind = columns({
  ...stepParts,
  relation: oneOf(['member', 'admin', 'responder', 'owner'], 'relation'),
});
/** An edge of any kind: a membership, a stored relationship, or a bot's owner, whose identifier is the bot's. */
export type EdgeRow = RowOf<typeof edgeOfAnyKind>;

type NewEdge = Pick<
  typeof edges.$inferSelect,
  'tenantId' | 'subjectType' | 'subjectId' | 'subjectRelation' | 'relation' | 'objectType' | 'objectId'
> & { createdBy: string };

/** @throws HttpError 409 when it already exists, 404 when the bot doesn't. */
export async function insertEdge(tx: TenantTx, edge: NewEdge): Promise<EdgeRow> {
  const botId = edge.objectType === 'bot' ? edge.objectId : null;
  const inserting = tx.db
    .insert(edges)
    .values({ ...edge, botId })
    .returning();
  const [row] = await translated(inserting, {
    edges_once: (cause) => conflict('this edge already exists', { cause }),
    edges_of_bot: (cause) => notFound('object', { cause }),
  });
  return toRow(row!);
}

export const deleteEdge = rowsOf(edges, 'tenantId', 'edgeId').remove;

interface EdgeFilter {
  edgeId?: string | undefined;
  subject?: { type: string; id: string; relation: string } | undefined;
  relation?: string | undefined;
  object?: { type: string; id: string } | undefined;
  /** Owner edges follow from bots, which may be many: included only on request. */
  withOwners: boolean;
}

const kinds = [
  `select edge_id, 'user' as subject_type, user_id::text as subject_id, '' as subject_relation, role as relation,
     'tenant' as object_type, tenant_id::text as object_id, created_at from tenancy.memberships where tenant_id = $tenantId`,
  `select edge_id, subject_type, subject_id, subject_relation, relation, object_type, object_id, created_at
   from tenancy.edges where tenant_id = $tenantId`,
  `select bot_id as edge_id, 'tenant', tenant_id::text, '', 'owner', 'bot', bot_id::text, created_at
   from tenancy.bots where tenant_id = $tenantId and $withOwners`,
];

/** One page of each kind, so that none is read completely. */
const pages = kinds.map(
  (kind) => `(select * from (${kind}) e (edge_id, subject_type, subject_id, subject_relation,
    relation, object_type, object_id, created_at)
  where ($edgeId::uuid is null or edge_id = $edgeId)
    and ($subjectType::text is null or (subject_type, subject_id, subject_relation) = ($subjectType, $subjectId::text, $subjectRelation::text))
    and ($relation::text is null or relation = $relation)
    and ($objectType::text is null or (object_type, object_id) = ($objectType, $objectId::text))
    and ($before::uuid is null or edge_id < $before)
  order by edge_id desc limit $limit)`,
);

/** Newest first, one more than the page's limit. */
export async function listEdges(
  tx: TenantTx,
  tenantId: string,
  { page, filter }: { page: PageRequest; filter: EdgeFilter },
): Promise<EdgeRow[]> {
  const { edgeId, subject, relation, object, withOwners } = filter;
  return await tx.query({
    name: nameFor('tenancy.edges.list', { edgeId, subject, relation, object, before: page.before }),
    text: typedSql`select ${edgeOfAnyKind} from (${pages.join(' union all ')}) e order by edge_id desc limit $limit`,
    values: {
      tenantId,
      withOwners,
      edgeId: edgeId ?? null,
      relation: relation ?? null,
      subjectType: subject?.type ?? null,
      subjectId: subject?.id ?? null,
      subjectRelation: subject?.relation ?? null,
      objectType: object?.type ?? null,
      objectId: object?.id ?? null,
      before: page.before ?? null,
      limit: page.limit + 1,
    },
  });
}

/** An edge of any kind by its identifier. */
export async function getEdge(tx: TenantTx, tenantId: string, edgeId: string): Promise<EdgeRow | undefined> {
  const [row] = await listEdges(tx, tenantId, { page: { limit: 1 }, filter: { edgeId, withOwners: true } });
  return row;
}

const toRow = (row: typeof edges.$inferSelect): EdgeRow => ({
  edge_id: row.edgeId,
  subject_type: row.subjectType,
  subject_id: row.subjectId,
  subject_relation: row.subjectRelation,
  relation: row.relation,
  object_type: row.objectType,
  object_id: row.objectId,
  created_at: row.createdAt,
});
