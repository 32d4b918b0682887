import { isDeepStrictEqual } from 'node:util';
import type { AgentContent, AgentParts } from '@botyard/contracts/http/definitions-agent-versions';
import type { TenantTx } from '@botyard/shared/db/database';
import { conflict } from '@botyard/shared/http/errors';
import { v7 as uuidv7 } from 'uuid';
import { insertDefinitions, listAllDefinitions, updateDefinition } from '../store/definitions.ts';
import { listSharedParts } from '../store/part-uses.ts';
import { capabilityContent, toolContent } from './agent-parts.ts';
import { requireRoom } from './references.ts';
import { freeToolName } from './tool-names.ts';
import { keptSettingsOf } from './tool-settings.ts';

type Tool = AgentParts['tools'][number];
type Capability = AgentParts['capabilities'][number];

interface Restoring {
  tx: TenantTx;
  tenantId: string;
  /** The identifiers of parts that other agents or apps have, too. */
  shared: ReadonlySet<string>;
}

/** The identifiers of a version's parts that exist now, by those in the version. */
interface Restored {
  ids: Map<string, string>;
  isChanged: boolean;
}

/**
 * Makes the tools and capabilities of an agent what they were in a version, and returns the references to them. A
 * deleted one is created again, a changed one is changed back. If others have it, it stays as it is, and the agent gets
 * its own copy.
 * @throws HttpError 409 without room, or when a tool no longer fits its kind.
 */
export async function restoreParts(
  tx: TenantTx,
  { tenantId, id }: { tenantId: string; id: string },
  { content, parts }: { content: Pick<AgentContent, 'toolIds' | 'capabilityIds'>; parts: AgentParts },
): Promise<Pick<AgentContent, 'toolIds' | 'capabilityIds'> & { isChanged: boolean }> {
  const shared = await listSharedParts(tx, { tenantId, id });
  const tools = await restoreTools({ tx, tenantId, shared }, parts.tools);
  const translated = parts.capabilities.map((capability) => ({
    ...capability,
    toolIds: replaced(capability.toolIds, tools),
  }));
  const capabilities = await restoreCapabilities({ tx, tenantId, shared }, translated);
  return {
    toolIds: replaced(content.toolIds, tools),
    capabilityIds: replaced(content.capabilityIds, capabilities),
    isChanged: tools.isChanged || capabilities.isChanged,
  };
}

const replaced = (ids: readonly string[], restored: Restored): string[] => [
  ...new Set(ids.map((id) => restored.ids.get(id) ?? id)),
];

async function restoreTools({ tx, tenantId, shared }: Restoring, tools: readonly Tool[]): Promise<Restored> {
  const existing = (await listAllDefinitions(tx, 'tool', tenantId)).map(toolContent);
  const byId = new Map(existing.map((tool) => [tool.id, tool]));
  const takenNames = new Set(existing.map(({ name }) => name));
  const added: Tool[] = [];
  const ids = new Map(tools.map(({ id }) => [id, id]));
  let isChanged = false;
  for (const tool of tools) {
    const current = byId.get(tool.id);
    if (current && isDeepStrictEqual(current, tool)) continue;
    const isCopied = current !== undefined && shared.has(tool.id);
    const equal = isCopied ? existing.find((other) => isCopyOf(other, tool)) : undefined;
    if (equal) {
      ids.set(tool.id, equal.id);
      continue;
    }
    const settings = fittingSettings(tool);
    if (current && !isCopied) takenNames.delete(current.name);
    const name = freeToolName(tool.name, takenNames);
    isChanged = true;
    if (current && !isCopied) {
      const change = { name, description: tool.description, settings };
      await updateDefinition(tx, 'tool', { key: { tenantId, id: tool.id }, change });
      continue;
    }
    const restored = { ...tool, name, settings, id: isCopied ? uuidv7() : tool.id };
    ids.set(tool.id, restored.id);
    added.push(restored);
  }
  await requireRoom(tx, tenantId, { kind: 'tool', more: added.length });
  const rows = added.map((tool) => ({ ...tool, tenantId }));
  await insertDefinitions(tx, 'tool', rows);
  return { ids, isChanged };
}

async function restoreCapabilities(
  { tx, tenantId, shared }: Restoring,
  capabilities: readonly Capability[],
): Promise<Restored> {
  const existing = (await listAllDefinitions(tx, 'capability', tenantId)).map(capabilityContent);
  const byId = new Map(existing.map((capability) => [capability.id, capability]));
  const added: Capability[] = [];
  const ids = new Map(capabilities.map(({ id }) => [id, id]));
  let isChanged = false;
  for (const capability of capabilities) {
    const { id, ...change } = capability;
    const current = byId.get(id);
    if (current && isDeepStrictEqual(current, capability)) continue;
    const isCopied = current !== undefined && shared.has(id);
    const equal = isCopied
      ? existing.find((other) => isDeepStrictEqual({ ...other, id }, capability))
      : undefined;
    if (equal) {
      ids.set(id, equal.id);
      continue;
    }
    isChanged = true;
    if (current && !isCopied) {
      await updateDefinition(tx, 'capability', { key: { tenantId, id }, change });
      continue;
    }
    const restored = { ...capability, id: isCopied ? uuidv7() : id };
    ids.set(id, restored.id);
    added.push(restored);
  }
  await requireRoom(tx, tenantId, { kind: 'capability', more: added.length });
  const rows = added.map((capability) => ({ ...capability, tenantId }));
  await insertDefinitions(tx, 'capability', rows);
  return { ids, isChanged };
}

/** Whether a tool is an earlier copy of the other one: the same under its name, or under that name with a number. */
function isCopyOf(tool: Tool, original: Tool): boolean {
  const isNamedAlike = tool.name === original.name || /^_\d+$/.test(tool.name.slice(original.name.length));
  return (
    isNamedAlike &&
    tool.name.startsWith(original.name) &&
    isDeepStrictEqual({ ...tool, id: original.id, name: original.name }, original)
  );
}

function fittingSettings({ name, kind, settings }: Tool): Tool['settings'] {
  const fitting = keptSettingsOf(kind, settings);
  if (fitting) return fitting;
  throw conflict(`the settings of the tool ${name} do not fit its kind any longer: it can't be restored`);
}
