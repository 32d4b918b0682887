import type { CreateEdgeBody, EdgeQuery } from '@botyard/contracts/http/authorization-edges';
import type { Caller } from '@botyard/shared/auth/caller';
import { withPlatform, withTenant } from '@botyard/shared/db/database';
import { conflict, invalid, notFound } from '@botyard/shared/http/errors';
import { requireRoomForEdge } from '../../limits/domain/limits.ts';
import { addMember, removeMember } from '../../people/domain/members.ts';
import { getLivingPerson } from '../../people/store/people.ts';
import { announcing } from '../../policies/domain/announcing.ts';
import type { Deps } from '../deps.ts';
import { deleteEdge, type EdgeRow, getEdge, insertEdge, listEdges } from '../store/edges.ts';
import {
  isReserved,
  type ObjectReference,
  readObject,
  readParts,
  readSubject,
  type SubjectReference,
} from './references.ts';

/**
 * Creates a relationship in a tenant. A person's relationship with the tenant itself is a membership. @throws HttpError
 * 400 for an impossible one, 404 for unknown things, 409 for an existing one or beyond the tenant's limits.
 */
export async function createEdge(
  deps: Deps,
  { tenantId, caller }: { tenantId: string; caller: Pick<Caller, 'userId' | 'isOperator'> },
  body: CreateEdgeBody,
): Promise<EdgeRow> {
  const [subject, object] = [readSubject(body.subject), readObject(body.object)];
  requireTieable(subject, object, body.relation);
  if (subject.type === 'tenant' && subject.id !== tenantId) throw notFound('subject');
  if (object.type === 'tenant' && object.id !== tenantId) throw notFound('object');
  if (subject.type === 'user') {
    if (object.type === 'tenant')
      return await createMembership(deps, { tenantId, caller }, { ...subject, role: roleOf(body) });
    const person = await withPlatform(deps.database, 'find person', (tx) => getLivingPerson(tx, subject.id));
    if (!person) throw notFound('user');
  }
  const groupIds = [subject, object].flatMap(({ type, id }) => (type === 'group' ? [id] : []));
  return await announcing(deps, tenantId, async (tx, tenant) => {
    await requireRoomForEdge(deps, tx, { tenant, groupIds });
    return await insertEdge(tx, {
      tenantId,
      createdBy: caller.userId,
      subjectType: subject.type,
      subjectId: subject.id,
      subjectRelation: subject.relation,
      relation: body.relation,
      objectType: object.type,
      objectId: object.id,
    });
  });
}

/** One more than the page's limit. */
export async function findEdges(
  { database }: Deps,
  tenantId: string,
  { limit, before, relation, ...query }: EdgeQuery,
): Promise<EdgeRow[]> {
  const subject = query.subject === undefined ? undefined : readParts(query.subject);
  const object = query.object === undefined ? undefined : readParts(query.object);
  const namesNothing =
    (query.subject !== undefined && !subject) || (query.object !== undefined && object?.relation !== '');
  if (namesNothing) return [];
  const withOwners = object?.type === 'bot' || relation === 'owner';
  return await withTenant(database, [tenantId], (tx) =>
    listEdges(tx, tenantId, { page: { limit, before }, filter: { subject, object, relation, withOwners } }),
  );
}

/** @throws HttpError 404, 409 for the last admin and for edges that follow from a bot. */
export async function removeEdge(
  deps: Deps,
  { tenantId, edgeId }: { tenantId: string; edgeId: string },
): Promise<void> {
  const edge = await withTenant(deps.database, [tenantId], (tx) => getEdge(tx, tenantId, edgeId));
  if (!edge) throw notFound('edge');
  if (edge.relation === 'owner')
    throw conflict('the owner edge of a bot can not be deleted: delete the bot instead');
  if (edge.subject_type === 'user' && edge.object_type === 'tenant') {
    return await removeMember(deps, { tenantId, userId: edge.subject_id });
  }
  await announcing(deps, tenantId, async (tx) => {
    if (!(await deleteEdge(tx, { tenantId, edgeId }))) throw notFound('edge');
  });
}

/** A person is no responder of a whole tenant: `requireTieable` refuses it. */
const roleOf = ({ relation }: CreateEdgeBody) => (relation === 'admin' ? 'admin' : 'member');

function requireTieable(subject: SubjectReference, object: ObjectReference, relation: string): void {
  const issues = [
    ...(isReserved(subject) ? [{ path: ['subject'], message: 'this name is reserved' }] : []),
    ...(isReserved(object) ? [{ path: ['object'], message: 'this name is reserved' }] : []),
    ...(object.type === 'group' && relation !== 'member'
      ? [{ path: ['relation'], message: 'must be "member" for a group' }]
      : []),
  ];
  if (relation === 'responder' && !(subject.type === 'user' && object.type === 'bot'))
    issues.push({ path: ['relation'], message: 'must be member or admin, unless a person answers a bot' });
  if (issues.length > 0) throw invalid(issues);
}

async function createMembership(
  deps: Deps,
  { tenantId, caller }: Parameters<typeof addMember>[1],
  { id, role }: { id: string; role: 'member' | 'admin' },
): Promise<EdgeRow> {
  const member = await addMember(deps, { tenantId, caller }, { userId: id, role });
  return {
    edge_id: member.edgeId,
    subject_type: 'user',
    subject_id: member.userId,
    subject_relation: '',
    relation: member.role,
    object_type: 'tenant',
    object_id: tenantId,
    created_at: member.createdAt,
  };
}
