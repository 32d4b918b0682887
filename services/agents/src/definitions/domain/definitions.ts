import { isDeepStrictEqual } from 'node:util';
import type { UpdateAgentDefinitionBody } from '@botyard/contracts/http/definitions-agents';
import type { DefinitionKind } from '@botyard/contracts/http/definitions-common';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import { notFound } from '@botyard/shared/http/errors';
import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../deps.ts';
import { lockReleasesOf } from '../store/agent-definitions.ts';
import { type AgentAtWork, getEquipment } from '../store/agent-equipment.ts';
import {
  type DefinitionKey,
  type DefinitionRows,
  deleteDefinition as deleteRow,
  getDefinition,
  insertDefinitions,
  lockDefinition,
  type NewDefinitions,
  updateDefinition as updateRow,
} from '../store/definitions.ts';
import { deletePublication, type Shown, withPublications } from '../store/publications.ts';
import { changing } from './changing.ts';
import { keepVersion } from './keep-version.ts';
import {
  type References,
  requireFittingAgent,
  requireReferences,
  requireRoom,
  requireUnused,
} from './references.ts';
import { requireTests, type TestedCandidate } from './required-tests.ts';
import type { AboutVersion } from './version-row.ts';

/** The fields of a definition that a client sets. */
type Fields<Kind extends DefinitionKind> = Omit<NewDefinitions[Kind], 'tenantId' | 'id'>;
type Change<Kind extends DefinitionKind> = Partial<Record<keyof Fields<Kind>, unknown>>;

/** @throws HttpError 404 for an unknown definition of the tenant. */
export async function requireDefinition<Kind extends DefinitionKind>(
  tx: TenantTx,
  kind: Kind,
  key: DefinitionKey,
): Promise<DefinitionRows[Kind]> {
  return found(await getDefinition(tx, kind, key), `${kind} definition`);
}

/** A definition as shown to clients, with its publication. */
export async function shown<Kind extends DefinitionKind>(
  tx: TenantTx,
  kind: Kind,
  row: DefinitionRows[Kind],
): Promise<Shown<DefinitionRows[Kind]>> {
  const [one] = await withPublications(tx, kind, [row]);
  return one!;
}

/** @throws HttpError 400 when a definition's parts don't fit together. */
function requireFit<Kind extends DefinitionKind>(kind: Kind, definition: NewDefinitions[Kind]): void {
  if (kind === 'agent') requireFittingAgent(definition as NewDefinitions['agent']);
}

/**
 * @throws HttpError 400 when it refers to foreign things or its parts don't fit together, 409 for a taken name or when
 * the limit is reached.
 */
export async function createDefinition<Kind extends DefinitionKind>(
  deps: Deps,
  kind: Kind,
  { tenantId, fields, by }: { tenantId: string; fields: Fields<Kind>; by: string },
): Promise<Shown<DefinitionRows[Kind]>> {
  const definition = { ...fields, tenantId, id: uuidv7() } as NewDefinitions[Kind];
  return await changing(deps, tenantId, async (tx) => {
    await requireRoom(tx, tenantId, { kind, more: 1 });
    await requireReferences(tx, tenantId, fields as References);
    requireFit(kind, definition);
    const [row] = await insertDefinitions(tx, kind, [definition]);
    await keepVersion(tx, kind, { after: row!, by });
    return await shown(tx, kind, row!);
  });
}

/** A change of a definition, and the user who makes it. */
interface Update<Kind extends DefinitionKind> {
  key: DefinitionKey;
  by: string;
  about?: AboutVersion;
  changeOf: (row: DefinitionRows[Kind], tx: TenantTx) => Change<Kind> | Promise<Change<Kind>>;
}

/**
 * Changes the given fields. An unchanged definition gets no new version. @throws HttpError 400, 409 as
 * `createDefinition`, 404.
 */
export async function updateDefinition<Kind extends DefinitionKind>(
  deps: Deps,
  kind: Kind,
  { key, by, about, changeOf }: Update<Kind>,
): Promise<Shown<DefinitionRows[Kind]>> {
  return await changing(deps, key.tenantId, async (tx) => {
    const row = await requireDefinition(tx, kind, key);
    return await applyChange(deps, tx, kind, { row, change: await changeOf(row, tx), by, about });
  });
}

/** A change of a definition that was read under the tenant's lock. */
interface AppliedChange<Kind extends DefinitionKind> {
  row: DefinitionRows[Kind];
  change: Change<Kind>;
  by: string;
  about?: AboutVersion | undefined;
  /** Whether its parts were changed with it, so that there is a new version in any case. */
  arePartsChanged?: boolean;
  /** The candidate of a run of the agent's tests; `null` if the change needs none, because it doesn't go live. */
  candidate?: TestedCandidate | null;
}

/**
 * Changes the fields that differ, under the tenant's lock. @throws HttpError 400, 409 as `createDefinition`, 409 for an
 * agent whose tests don't allow it.
 */
export async function applyChange<Kind extends DefinitionKind>(
  deps: Pick<Deps, 'log'>,
  tx: TenantTx,
  kind: Kind,
  {
    row,
    change: wanted,
    by,
    about,
    arePartsChanged = false,
    candidate = { draft: true },
  }: AppliedChange<Kind>,
): Promise<Shown<DefinitionRows[Kind]>> {
  const { tenantId, id } = row;
  const before: Readonly<Record<string, unknown>> = row;
  const change = Object.fromEntries(
    Object.entries(wanted).filter(
      ([field, value]) => value !== undefined && !isDeepStrictEqual(value, before[field]),
    ),
  ) as Partial<NewDefinitions[Kind]>;
  if (Object.keys(change).length === 0 && !arePartsChanged) return await shown(tx, kind, row);
  await requireReferences(tx, tenantId, change as References);
  requireFit(kind, { ...row, ...change });
  const after = await updateRow(tx, kind, { key: { tenantId, id }, change });
  if (kind === 'agent' && candidate) {
    const agents = { before: row, after } as {
      before: DefinitionRows['agent'];
      after: DefinitionRows['agent'];
    };
    await requireTests(deps, tx, { ...agents, by, candidate, overrideReason: about?.overrideReason });
  }
  await keepVersion(tx, kind, { before: row, after, by, about });
  return await shown(tx, kind, after);
}

/**
 * Deletes a definition and removes it from the marketplace; copies stay. @throws HttpError 404, 409 while it is used.
 */
export async function deleteDefinition(deps: Deps, kind: DefinitionKind, key: DefinitionKey): Promise<void> {
  await changing(deps, key.tenantId, async (tx) => {
    // The end of a release locks its row before that of the agent. A deletion does the same, so none waits for the
    // other one's second lock.
    if (kind === 'agent') await lockReleasesOf(tx, key);
    if (!(await lockDefinition(tx, kind, key))) throw notFound(`${kind} definition`);
    await requireUnused(tx, kind, key);
    await deleteRow(tx, kind, key);
    await deletePublication(tx, { ...key, kind });
  });
}

/**
 * An agent as it would be with these fields; nothing of it is kept. @throws HttpError 404, and 400 as an update with
 * them would be.
 */
export async function readDraft(
  { database }: Pick<Deps, 'database'>,
  key: DefinitionKey,
  draft: UpdateAgentDefinitionBody,
): Promise<AgentAtWork> {
  return await withTenant(database, [key.tenantId], async (tx) => {
    const stored = await requireDefinition(tx, 'agent', key);
    const changedFields = Object.entries(draft).filter(([, value]) => value !== undefined);
    const agent = { ...stored, ...(Object.fromEntries(changedFields) as Partial<typeof stored>) };
    await requireReferences(tx, key.tenantId, draft);
    requireFittingAgent(agent);
    return { ...agent, equipment: await getEquipment(tx, agent), candidate: null };
  });
}
