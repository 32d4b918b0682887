import type { AuthorizationEdge } from '@botyard/contracts/http/authorization-edges';
import type { EdgeRow } from '../store/edges.ts';

/** Who an edge ties: a person, or everybody who is something to a group or the tenant. */
export interface SubjectReference {
  type: 'user' | 'group' | 'tenant';
  id: string;
  relation: '' | 'member' | 'admin';
}

export interface ObjectReference {
  type: 'tenant' | 'bot' | 'group';
  id: string;
}

/** Words of our own that a group's name could be mistaken for. */
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

/** Reads a subject that has the shape of the contract. Identifiers have one spelling, groups' names are as they are. */
export function readSubject(text: string): SubjectReference {
  const { type, id, relation } = readParts(text) ?? { type: '', id: '', relation: '' };
  return { type, id, relation } as SubjectReference;
}

/** Reads an object that has the shape of the contract. */
export function readObject(text: string): ObjectReference {
  const { type, id } = readParts(text) ?? { type: '', id: '' };
  return { type, id } as ObjectReference;
}

/** Reads anything that may name an end of an edge; `undefined` for what names none. */
export function readParts(text: string): { type: string; id: string; relation: string } | undefined {
  const [, type, id, relation = ''] = /^(\w+):([\w-]+)(?:#(\w+))?$/.exec(text) ?? [];
  if (type === undefined || id === undefined) return undefined;
  return { type, id: type === 'group' ? id : id.toLowerCase(), relation };
}

/** An edge as it is shown. */
export const toEdge = (row: EdgeRow): AuthorizationEdge => ({
  edgeId: row.edge_id,
  subject: `${row.subject_type}:${row.subject_id}${row.subject_relation && `#${row.subject_relation}`}`,
  relation: row.relation,
  object: `${row.object_type}:${row.object_id}`,
  createdAt: row.created_at.toISOString(),
});
