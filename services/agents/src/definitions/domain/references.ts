import { type DefinitionKind, maxDefinitions } from '@botyard/contracts/http/definitions-common';
import { faultsOfModelSettings } from '@botyard/contracts/http/settings-of-model';
import type { TenantTx } from '@botyard/shared/db/database';
import { conflict, invalid } from '@botyard/shared/http/errors';
import { listSourceStates } from '../../knowledge/store/context-sources.ts';
import { countDefinitions, listDefinitionsInOrder, type NewDefinitions } from '../store/definitions.ts';
import { listAgentsUsing, listAppsUsing, listBotsUsing, listCapabilitiesUsing } from '../store/uses.ts';
import { sourceIdsOf } from './tool-settings.ts';

/** The identifiers that a definition refers to. */
export interface References {
  toolIds?: readonly string[] | undefined;
  capabilityIds?: readonly string[] | undefined;
  settings?: Record<string, unknown> | undefined;
}

/**
 * @throws HttpError 400 that names the references that the tenant doesn't have. Foreign and missing ones get the same
 * message.
 */
export async function requireReferences(
  tx: TenantTx,
  tenantId: string,
  { toolIds = [], capabilityIds = [], settings }: References,
): Promise<void> {
  const known = async (kind: DefinitionKind, ids: readonly string[]) =>
    new Set((await listDefinitionsInOrder(tx, kind, { tenantId, ids })).map(({ id }) => id));
  const sourceIds = sourceIdsOf(settings);
  const sources = sourceIds.length > 0 ? await listSourceStates(tx, tenantId) : new Map();
  const missing = (
    path: string[],
    ids: readonly string[],
    found: { has(id: string): boolean },
    what: string,
  ) =>
    ids.flatMap((id, index) =>
      found.has(id) ? [] : [{ path: [...path, index], message: `is not a ${what} of this tenant` }],
    );
  const issues = [
    ...missing(['toolIds'], toolIds, await known('tool', toolIds), 'tool'),
    ...missing(['capabilityIds'], capabilityIds, await known('capability', capabilityIds), 'capability'),
    ...missing(['settings', 'sourceIds'], sourceIds, sources, 'document'),
  ];
  if (issues.length > 0) throw invalid(issues);
}

/** @throws HttpError 400 for model settings of an agent that its provider doesn't accept. */
export function requireModelSettings({
  provider,
  modelSettings = {},
}: Pick<NewDefinitions['agent'], 'provider' | 'modelSettings'>): void {
  const issues = faultsOfModelSettings(provider, modelSettings);
  if (issues.length > 0) throw invalid(issues);
}

/** @throws HttpError 409 when the tenant would exceed the limit of the kind. */
export async function requireRoom(
  tx: TenantTx,
  tenantId: string,
  { kind, more }: { kind: DefinitionKind; more: number },
): Promise<void> {
  if (more === 0) return;
  const most = maxDefinitions[kind];
  if ((await countDefinitions(tx, kind, tenantId)) + more <= most) return;
  const what = { agent: 'agents', capability: 'capabilities', tool: 'tools' }[kind];
  throw conflict(`a tenant has ${most} ${what} at most: delete some first`, { code: 'limit_reached' });
}

/** @throws HttpError 409 that names the bots, apps or definitions that use this one. */
export async function requireUnused(
  tx: TenantTx,
  kind: DefinitionKind,
  { tenantId, id }: { tenantId: string; id: string },
): Promise<void> {
  if (kind === 'agent') {
    const bots = await listBotsUsing(tx, tenantId, id);
    if (bots.length > 0)
      throw conflict('the agent is in use by a bot', { code: 'in_use', details: { bots } });
    const apps = await listAppsUsing(tx, tenantId, { agentId: id });
    if (apps.length > 0)
      throw conflict('the agent is in use by an app', { code: 'in_use', details: { apps } });
    return;
  }
  const part = kind === 'tool' ? { toolId: id } : { capabilityId: id };
  const agents = await listAgentsUsing(tx, tenantId, part);
  const capabilities = kind === 'tool' ? await listCapabilitiesUsing(tx, tenantId, id) : [];
  const apps = kind === 'capability' ? await listAppsUsing(tx, tenantId, { capabilityId: id }) : [];
  if (agents.length + capabilities.length + apps.length === 0) return;
  throw conflict(`the ${kind} is in use: take it from what uses it first`, {
    code: 'in_use',
    details: { agents, ...(kind === 'tool' ? { capabilities } : { apps }) },
  });
}
