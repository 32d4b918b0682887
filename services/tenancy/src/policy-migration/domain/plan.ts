import type { PageRequest } from '@botyard/contracts/http/page';
import type { Role } from '@botyard/shared/auth/caller';
import { type PlatformTx, withPlatform } from '@botyard/shared/db/database';
import type { Deps } from '../deps.ts';
import {
  listMirroredSeats,
  listMissingPolicies,
  type MirroredSeat,
  type MissingPolicy,
  type Part,
} from '../store/pending.ts';
import type { MigratedPolicy } from '../store/rows.ts';
import { getLiveRun } from '../store/runs.ts';
import { policyNames, rolePolicies } from './policy-texts.ts';

/** The part of a membership that the migration changes, and the fields that decide whether it can be mirrored again. */
export interface EdgeImage {
  edgeId: string;
  role: Role;
  source: 'api' | 'idp';
  keptSince: string | null;
  grantedRole: Role | null;
}

interface Change {
  tenantId: string;
  subject: string;
  relation: string;
  object: string;
}

export interface EdgeChange extends Change {
  kind: 'edge';
  userId: string;
  before: EdgeImage;
  after: EdgeImage;
}

export interface PolicyChange extends Change {
  kind: 'policy';
  /** Its position among the policies. */
  number: number;
  before: null;
  after: MigratedPolicy;
}

/** The migration's changes in one tenant, or in all from a position on. A preview shows exactly these changes. */
export async function planEdges(tx: PlatformTx, part: Part): Promise<EdgeChange[]> {
  return (await listMirroredSeats(tx, part)).map(toEdgeChange);
}

/** The same for policies. `migrationId` is the run that may have created some of them. */
export async function planPolicies(
  tx: PlatformTx,
  migrationId: string | null,
  part: Part,
): Promise<PolicyChange[]> {
  return (await listMissingPolicies(tx, { migrationId, names: policyNames }, part)).map(toPolicyChange);
}

function toEdgeChange({ tenantId, userId, edgeId, role, keptSince, grantedRole }: MirroredSeat): EdgeChange {
  const before: EdgeImage = {
    edgeId,
    role,
    source: 'idp',
    keptSince: keptSince?.toISOString() ?? null,
    grantedRole,
  };
  return {
    kind: 'edge',
    tenantId,
    userId,
    subject: `user:${userId}`,
    relation: role,
    object: `tenant:${tenantId}`,
    before,
    // Now an independent admin, who is no longer kept only because the tenant would have none.
    after: { ...before, source: 'api', keptSince: null },
  };
}

function toPolicyChange({ tenantId, number }: MissingPolicy): PolicyChange {
  const { name, description, text, action, subjectIn } = rolePolicies[number - 1]!;
  return {
    kind: 'policy',
    tenantId,
    number,
    subject: subjectIn(tenantId),
    relation: action,
    object: `tenant:${tenantId}`,
    before: null,
    after: { name, description, text, isEnabled: true },
  };
}

export type PlannedChange = EdgeChange | PolicyChange;

/** A change's place in the preview. */
export const placeOf = (change: PlannedChange): string =>
  `${change.kind}:${change.tenantId}:${change.kind === 'edge' ? change.userId : change.number}`;

/** The changes that executing would make now, edges first; one more than the page's limit. */
export async function previewMigration(
  { database }: Pick<Deps, 'database'>,
  { limit, before }: PageRequest,
): Promise<PlannedChange[]> {
  const [kind, tenantId = '', item = ''] = before?.split(':') ?? [];
  const place = before ? { tenantId, item } : undefined;
  return await withPlatform(database, 'preview of the migration', async (tx) => {
    const isPastEdges = kind === 'policy';
    const edges = isPastEdges ? [] : await planEdges(tx, { before: place, limit: limit + 1 });
    const room = limit + 1 - edges.length;
    if (room === 0) return edges;
    const run = await getLiveRun(tx);
    const part = { before: isPastEdges ? place : undefined, limit: room };
    return [...edges, ...(await planPolicies(tx, run?.migrationId ?? null, part))];
  });
}
