import {
  type DefinitionKind,
  maxDefinitions,
  maxToolsOfAgent,
} from '@botyard/contracts/http/definitions-common';
import { faultsOfModelSettings } from '@botyard/contracts/http/settings-of-model';
import type { TenantTx } from '@botyard/shared/db/database';
import { conflict, invalid, unprocessable } from '@botyard/shared/http/errors';
import { countDefinitions, listDefinitionsInOrder, type NewDefinitions } from '../store/definitions.ts';
import { holdServers } from '../store/named-servers.ts';
import { listSourceStates } from '../store/source-states.ts';
import { listAgentsUsing, listAppsUsing, listBotsUsing, listCapabilitiesUsing } from '../store/uses.ts';
import { sourceIdsOf } from './tool-settings.ts';

/** The identifiers that a definition refers to. */
export interface References {
  toolIds?: readonly string[] | undefined;
  capabilityIds?: readonly string[] | undefined;
  serverIds?: readonly string[] | undefined;
  settings?: Record<string, unknown> | undefined;
}

/**
 * @throws HttpError 400 that names the references that the tenant doesn't have. Foreign and missing ones get the same
 * message. @throws HttpError 422 for servers.
 */
export async function requireReferences(
  tx: TenantTx,
  tenantId: string,
  { toolIds = [], capabilityIds = [], serverIds = [], settings }: References,
): Promise<void> {
  const existingIds = async (kind: DefinitionKind, ids: readonly string[]) =>
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
    ...missing(['toolIds'], toolIds, await existingIds('tool', toolIds), 'tool'),
    ...missing(
      ['capabilityIds'],
      capabilityIds,
      await existingIds('capability', capabilityIds),
      'capability',
    ),
    ...missing(['settings', 'sourceIds'], sourceIds, sources, 'document'),
  ];
  if (issues.length > 0) throw invalid(issues);
  const heldServers = await holdServers(tx, tenantId, serverIds);
  const missingServers = missing(['serverIds'], serverIds, heldServers, 'server');
  if (missingServers.length > 0)
    throw unprocessable('the agent names servers that the tenant does not have', {
      issues: missingServers.map(({ path, message }) => ({ path: path.join('.'), message })),
    });
}

type Agent = Pick<NewDefinitions['agent'], 'provider' | 'modelSettings' | 'toolIds' | 'serverIds'>;

/** @throws HttpError 400 for an agent with too many tools, or with model settings that its provider doesn't accept. */
export function requireFittingAgent({
  provider,
  modelSettings = {},
  toolIds = [],
  serverIds = [],
}: Agent): void {
  const isFull = toolIds.length + serverIds.length > maxToolsOfAgent;
  const message = `an agent has ${maxToolsOfAgent} tools at most, and each server counts as one`;
  const issues = [
    ...faultsOfModelSettings(provider, modelSettings),
    ...(isFull ? [{ path: ['serverIds'], message }] : []),
  ];
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
  throw conflict(`a tenant has ${most} ${what} at most: delete some first`);
}

/** @throws HttpError 409 that names the bots, apps or definitions that use this one. */
export async function requireUnused(
  tx: TenantTx,
  kind: DefinitionKind,
  key: { tenantId: string; id: string },
): Promise<void> {
  const uses = await listUses(tx, kind, key);
  if (uses.length > 0) throw conflict(`the ${kind} is in use: take it from ${enumerate(uses)} first`);
}

async function listUses(
  tx: TenantTx,
  kind: DefinitionKind,
  { tenantId, id }: { tenantId: string; id: string },
): Promise<string[]> {
  switch (kind) {
    case 'agent':
      return [
        ...namesOf('bot', await listBotsUsing(tx, tenantId, id)),
        ...namesOf('app', await listAppsUsing(tx, tenantId, { agentId: id })),
      ];
    case 'capability':
      return [
        ...namesOf('agent', await listAgentsUsing(tx, tenantId, { capabilityId: id })),
        ...namesOf('app', await listAppsUsing(tx, tenantId, { capabilityId: id })),
      ];
    case 'tool':
      return [
        ...namesOf('agent', await listAgentsUsing(tx, tenantId, { toolId: id })),
        ...namesOf('capability', await listCapabilitiesUsing(tx, tenantId, id)),
      ];
  }
}

/** Items of one kind, for a sentence. */
export const namesOf = (kind: string, items: readonly { id: string; name: string }[]): string[] =>
  items.map(({ id, name }) => `the ${kind} "${name}" (${id})`);

const maxEnumerated = 5;

/** Lists the first items in words. */
export function enumerate(items: readonly string[]): string {
  const more = items.length - maxEnumerated;
  const shown = items.slice(0, maxEnumerated).join(', ');
  return more > 0 ? `${shown} and ${more} more` : shown;
}
