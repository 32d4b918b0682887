import { isDeepStrictEqual } from 'node:util';
import type { ToolSync } from '@botyard/contracts/http/definitions-tools';
import { ToolKind, toolKinds } from '@botyard/contracts/http/tool-kinds';
import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../deps.ts';
import {
  type DefinitionRows,
  insertDefinitions,
  listAllDefinitions,
  updateDefinition,
} from '../store/definitions.ts';
import { changing } from './changing.ts';
import { keepVersionsUsing } from './keep-versions-using.ts';
import { requireRoom } from './references.ts';
import { freeToolName } from './tool-names.ts';
import { keptSettingsOf, needsSettings, settingsOf } from './tool-settings.ts';

/**
 * Updates a tenant's tools to the current kinds. Afterwards there is a tool for each kind that needs no settings, and
 * settings that were added to a kind have their defaults. @throws HttpError 409 for too many tools.
 */
export async function syncTools(
  deps: Deps,
  { tenantId, by }: { tenantId: string; by: string },
): Promise<ToolSync> {
  return await changing(deps, tenantId, async (tx) => {
    const rows = await listAllDefinitions(tx, 'tool', tenantId);
    const updated: DefinitionRows['tool'][] = [];
    for (const { id, kind, settings: kept } of rows) {
      const settings = keptSettingsOf(kind, kept);
      if (!settings || isDeepStrictEqual(settings, kept)) continue;
      updated.push(await updateDefinition(tx, 'tool', { key: { tenantId, id }, change: { settings } }));
    }
    const before = updated.map(({ id }) => rows.find((row) => row.id === id)!);
    await keepVersionsUsing(tx, { kind: 'tool', before, after: updated }, by);
    const missing = missingTools(rows);
    await requireRoom(tx, tenantId, { kind: 'tool', more: missing.length });
    const created = await insertDefinitions(
      tx,
      'tool',
      missing.map((tool) => ({ ...tool, tenantId, id: uuidv7() })),
    );
    const isUpdated = new Set(updated.map(({ id }) => id));
    return { created, updated, unchanged: rows.filter(({ id }) => !isUpdated.has(id)) };
  });
}

/** The kinds without a tool. A tool that the tenant has renamed counts. */
function missingTools(rows: readonly DefinitionRows['tool'][]) {
  const taken = new Set(rows.map(({ name }) => name));
  return ToolKind.options
    .filter((kind) => !needsSettings(kind) && !rows.some((row) => row.kind === kind))
    .map((kind) => ({
      name: freeToolName(kind, taken),
      kind,
      description: toolKinds[kind].summary,
      settings: settingsOf(kind, {}),
    }));
}
