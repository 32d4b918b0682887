import type { AgentContent } from '@botyard/contracts/http/definitions-agent-versions';
import type { UpdateAgentDefinitionBody } from '@botyard/contracts/http/definitions-agents';
import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { found } from '@botyard/shared/db/rows';
import { conflict, invalid, notFound } from '@botyard/shared/http/errors';
import type { Deps } from '../deps.ts';
import {
  type AgentDraftRow,
  deleteAgentDraft,
  getAgentDraft,
  saveAgentDraft,
} from '../store/agent-drafts.ts';
import { countVersionsOfParts } from '../store/agent-versions.ts';
import type { DefinitionKey, DefinitionRows } from '../store/definitions.ts';
import type { Shown } from '../store/publications.ts';
import { changing } from './changing.ts';
import { applyChange, requireDefinition, updateDefinition } from './definitions.ts';
import { requireFittingAgent, requireReferences } from './references.ts';
import { changedFields } from './version-row.ts';
import { contentOf } from './whole-version.ts';

/** A draft with all fields of the agent, and the names of those that differ from the live definition. */
type WholeDraft = AgentContent &
  Pick<AgentDraftRow, 'base' | 'updatedAt' | 'updatedBy'> & { changed: (keyof AgentContent)[] };

async function whole(
  tx: TenantTx,
  live: DefinitionRows['agent'],
  { base: storedBase, fields, updatedAt, updatedBy }: AgentDraftRow,
): Promise<WholeDraft> {
  const content = contentOf(live);
  const drafted = { ...content, ...fields };
  const follows = await isUpToDate(tx, live, { base: storedBase, live: live.version });
  const base = follows ? live.version : storedBase;
  return { ...drafted, base, updatedAt, updatedBy, changed: changedFields(content, drafted) };
}

/** Whether a draft of this version changes what is live: since then only parts of the agent were changed. */
async function isUpToDate(
  tx: TenantTx,
  key: DefinitionKey,
  { base, live }: { base: number; live: number },
): Promise<boolean> {
  if (base === live) return true;
  const later = await countVersionsOfParts(tx, key, { after: base, until: live });
  return later === live - base;
}

/** @throws HttpError 404 without an agent or without a draft. */
export async function showDraft(
  { database }: Pick<Deps, 'database'>,
  key: DefinitionKey,
): Promise<WholeDraft> {
  return await withTenant(database, [key.tenantId], async (tx) => {
    const live = await requireDefinition(tx, 'agent', key);
    return await whole(tx, live, await requireDraft(tx, key));
  });
}

const requireDraft = async (tx: TenantTx, key: DefinitionKey): Promise<AgentDraftRow> =>
  found(await getAgentDraft(tx, key), 'draft');

/** Adds fields to the agent's draft, or begins one. @throws HttpError 400 as an update of the agent would, 404. */
export async function saveDraft(
  deps: Deps,
  {
    key,
    by,
    base,
    fields,
  }: { key: DefinitionKey; by: string; base: number; fields: UpdateAgentDefinitionBody },
): Promise<WholeDraft> {
  return await changing(deps, key.tenantId, async (tx) => {
    const live = await requireDefinition(tx, 'agent', key);
    if (base > live.version)
      throw invalid([{ path: ['base'], message: `is not a version: version ${live.version} is live` }]);
    await requireReferences(tx, key.tenantId, fields);
    const earlier = await getAgentDraft(tx, key);
    const drafted = { ...earlier?.fields, ...withoutUndefined(fields) };
    requireFittingAgent({ ...live, ...drafted });
    const content = contentOf(live);
    const changed = changedFields(content, { ...content, ...drafted });
    const row = { tenantId: key.tenantId, agentId: key.id, base, updatedBy: by };
    // A field that is as it is live follows the live definition.
    const kept = Object.fromEntries(changed.map((field) => [field, drafted[field]]));
    return await whole(tx, live, await saveAgentDraft(tx, { ...row, fields: kept }));
  });
}

const withoutUndefined = (fields: UpdateAgentDefinitionBody): Partial<AgentContent> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** @throws HttpError 404 without an agent or without a draft. */
export async function discardDraft(deps: Deps, key: DefinitionKey): Promise<void> {
  await changing(deps, key.tenantId, async (tx) => {
    await requireDefinition(tx, 'agent', key);
    if (!(await deleteAgentDraft(tx, key))) throw notFound('draft');
  });
}

interface GoLive {
  key: DefinitionKey;
  by: string;
  note?: string | undefined;
  overrideReason?: string | undefined;
}

/**
 * Updates the agent with its draft, which ends. @throws HttpError 404, 409 when the draft changes another version than
 * the live one, 400 as an update.
 */
export async function goLive(
  deps: Deps,
  { key, by, note, overrideReason }: GoLive,
): Promise<Shown<DefinitionRows['agent']>> {
  return await updateDefinition(deps, 'agent', {
    key,
    by,
    about: { note, overrideReason },
    changeOf: (live, tx) => takeDraft(tx, live),
  });
}

/** The changed fields of a draft, which ends. @throws HttpError 404, 409 when it changes another version. */
async function takeDraft(tx: TenantTx, live: DefinitionRows['agent']): Promise<AgentDraftRow['fields']> {
  const { base, fields } = await requireDraft(tx, live);
  if (!(await isUpToDate(tx, live, { base, live: live.version })))
    throw conflict(
      `the draft changes version ${base}, but version ${live.version} is live: save the draft with base ` +
        `${live.version} once you have compared them`,
    );
  await deleteAgentDraft(tx, live);
  return fields;
}

/**
 * Makes a version of the draft, which ends, without its being live: the content of the live version follows it as the
 * newest one. The caller holds the tenant's lock. @throws HttpError as `goLive`, 409 when the draft changes nothing.
 */
export async function keepDraftAsVersion(
  deps: Deps,
  tx: TenantTx,
  key: DefinitionKey,
  by: string,
): Promise<number> {
  const live = await requireDefinition(tx, 'agent', key);
  const change = await takeDraft(tx, live);
  const drafted = await applyChange(deps, tx, 'agent', { row: live, change, by, candidate: null });
  if (drafted.version === live.version) throw conflict('the draft changes nothing');
  const about = { restoredFrom: live.version };
  const again = { row: drafted, change: contentOf(live), by, about, candidate: null };
  await applyChange(deps, tx, 'agent', again);
  return drafted.version;
}
