import { isDeepStrictEqual } from 'node:util';
import type { CopyOrigin } from '@botyard/contracts/http/definitions-common';
import type { TenantTx } from '@botyard/shared/db/database';
import { conflict } from '@botyard/shared/http/errors';
import { v7 as uuidv7 } from 'uuid';
import type { PublishedContent } from '../../store/definitions-schema.ts';
import { insertDefinitions, listAllDefinitions } from '../store/definitions.ts';
import { requireRoom } from './references.ts';
import { freeToolName } from './tool-names.ts';
import { keptSettingsOf } from './tool-settings.ts';

/** Destination and source of a copy. */
export interface Destination {
  tx: TenantTx;
  tenantId: string;
  /** `null` for parts of a template. */
  origin: CopyOrigin | null;
}

/** The identifiers of a publication's parts at the destination, by their original identifiers. */
export type NewIds = ReadonlyMap<string, string>;

/** The references of a publication, translated to the destination. */
export const translated = (ids: readonly string[], newIds: NewIds): string[] => [
  ...new Set(ids.flatMap((id) => newIds.get(id) ?? [])),
];

type Tool = PublishedContent['tools'][number];
type Capability = PublishedContent['capabilities'][number];

/**
 * Copies these tools into the tenant. If shared, an identical one (from an own publication, or with equal content) is
 * reused. @throws HttpError 409 without room, or when a published one no longer fits its kind.
 */
export async function bringTools(
  { tx, tenantId, origin: copiedFrom }: Destination,
  tools: readonly Tool[],
  { isShared }: { isShared: boolean },
): Promise<NewIds> {
  const own = await listAllDefinitions(tx, 'tool', tenantId);
  const taken = new Set(own.map(({ name }) => name));
  const brought = tools.map((tool) => {
    const shared = isShared ? own.find((one) => one.id === tool.id || isSameTool(one, tool)) : undefined;
    if (shared) return { from: tool.id, id: shared.id };
    const settings = fittingSettings(tool);
    const copy = {
      ...tool,
      tenantId,
      copiedFrom,
      settings,
      id: uuidv7(),
      name: freeToolName(tool.name, taken),
    };
    return { from: tool.id, id: copy.id, copy };
  });
  const copies = brought.flatMap(({ copy }) => copy ?? []);
  await requireRoom(tx, tenantId, { kind: 'tool', more: copies.length });
  await insertDefinitions(tx, 'tool', copies);
  return new Map(brought.map(({ from, id }) => [from, id]));
}

/** The same for capabilities, whose tools already exist. */
export async function bringCapabilities(
  { tx, tenantId, origin: copiedFrom }: Destination,
  capabilities: readonly Capability[],
  { isShared, newToolIds }: { isShared: boolean; newToolIds: NewIds },
): Promise<NewIds> {
  const own = await listAllDefinitions(tx, 'capability', tenantId);
  const brought = capabilities.map((capability) => {
    const here = { ...capability, toolIds: translated(capability.toolIds, newToolIds) };
    const shared = isShared
      ? own.find((one) => one.id === here.id || isSameCapability(one, here))
      : undefined;
    if (shared) return { from: here.id, id: shared.id };
    const copy = { ...here, tenantId, copiedFrom, id: uuidv7() };
    return { from: here.id, id: copy.id, copy };
  });
  const copies = brought.flatMap(({ copy }) => copy ?? []);
  await requireRoom(tx, tenantId, { kind: 'capability', more: copies.length });
  await insertDefinitions(tx, 'capability', copies);
  return new Map(brought.map(({ from, id }) => [from, id]));
}

const isSameTool = (own: Tool, { name, description, kind, settings }: Tool): boolean =>
  own.name === name &&
  own.kind === kind &&
  own.description === description &&
  isDeepStrictEqual(own.settings, settings);

const isSameCapability = (own: Capability, wanted: Capability): boolean =>
  own.name === wanted.name &&
  own.description === wanted.description &&
  own.instructions === wanted.instructions &&
  isDeepStrictEqual([own.keywords, own.toolIds], [wanted.keywords, wanted.toolIds]);

function fittingSettings({ name, kind, settings }: Tool): Tool['settings'] {
  const fitting = keptSettingsOf(kind, settings);
  if (fitting) return fitting;
  throw conflict(`its tool ${name} does not work any longer: its owner has to publish it again`);
}
