import type { AuthorizationEdge } from '@botyard/contracts/http/authorization-edges';
import type { EdgeRow } from '../store/edges.ts';

/** The subject of an edge: a person, or everybody with a relation to a group or the tenant. */
export interface SubjectReference {
  type: 'user' | 'group' | 'tenant';
  id: string;
  relation: '' | 'member' | 'admin';
}

export interface ObjectReference {
  type: 'tenant' | 'bot' | 'group';
  id: string;
}

/** Reserved words that could be confused with a group's name. */
const reserved = new Set([
  'admin',
  'available-agents',
  'bot',
  'bots',
  'group',
  'member',
  'operator',
  'owner',
  'superadmin',
  'tenant',
  'tenants',
  'user',
]);

export const isReserved = ({ type, id }: { type: string; id: string }): boolean =>
  type === 'group' && reserved.has(id.toLowerCase());

/** Reads a subject that has the contract's format. Identifiers are normalized; names of groups are unchanged. */
export function readSubject(text: string): SubjectReference {
  const { type, id, relation } = readParts(text) ?? { type: '', id: '', relation: '' };
  return { type, id, relation } as SubjectReference;
}

/** Reads an object that has the contract's format. */
export function readObject(text: string): ObjectReference {
  const { type, id } = readParts(text) ?? { type: '', id: '' };
  return { type, id } as ObjectReference;
}

/** Reads the type, identifier and relation of an end of an edge; `undefined` for any other text. */
export function readParts(text: string): { type: string; id: string; relation: string } | undefined {
  const [, type, id, relation = ''] = /^(\w+):([\w-]+)(?:#(\w+))?$/.exec(text) ?? [];
  if (type === undefined || id === undefined) return undefined;
  return { type, id: type === 'group' ? id : id.toLowerCase(), relation };
}

/** An edge in the form for clients. */
export const toEdge = (row: EdgeRow): AuthorizationEdge => ({
  edgeId: row.edge_id,
  subject: `${row.subject_type}:${row.subject_id}${row.subject_relation && `#${row.subject_relation}`}`,
  relation: row.relation,
  object: `${row.object_type}:${row.object_id}`,
  createdAt: row.created_at.toISOString(),
});
