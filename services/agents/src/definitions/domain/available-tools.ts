import type { AvailableTool } from '@botyard/contracts/http/definitions-tools';
import { ToolKind, toolKinds } from '@botyard/contracts/http/tool-kinds';
import { type Database, withTenant } from '@botyard/shared/db/database';
import { type DefinitionRows, listAllDefinitions } from '../store/definitions.ts';
import { listSourceStates } from '../store/source-states.ts';
import { keptSettingsOf, needsSettings, sourceIdsOf } from './tool-settings.ts';

type Sources = Awaited<ReturnType<typeof listSourceStates>>;

/** The tenant's tools, and the kinds that it has no tool of, each with the reason why it can't be used. */
export async function listAvailableTools(database: Database, tenantId: string): Promise<AvailableTool[]> {
  const [rows, sources] = await withTenant(database, [tenantId], async (tx) => [
    await listAllDefinitions(tx, 'tool', tenantId),
    await listSourceStates(tx, tenantId),
  ]);
  const defined = rows.map((row) => {
    const { id, name, kind, description } = row;
    const reason = whyUnusable(row, sources);
    return { id, name, kind, description, available: reason === null, reason };
  });
  const isDefined = new Set(rows.map(({ kind }) => kind));
  const undefinedKinds = ToolKind.options.filter((kind) => !isDefined.has(kind));
  return [
    ...defined,
    ...undefinedKinds.map((kind) => ({
      id: null,
      name: kind,
      kind,
      description: toolKinds[kind].summary,
      available: false,
      reason: needsSettings(kind)
        ? 'none is defined yet: POST /api/definitions/tools with its settings'
        : 'none is defined yet: POST /api/definitions/tools/sync defines it',
    })),
  ];
}

/** The reason why a tool would do nothing, or `null` when it works. */
export function whyUnusable(
  { kind, settings: kept }: Pick<DefinitionRows['tool'], 'kind' | 'settings'>,
  sources: Sources,
): string | null {
  const settings = keptSettingsOf(kind, kept);
  if (!settings) return 'its settings do not fit its kind any longer: give it new ones';
  if (kind !== 'search_context') return null;
  const wanted = sourceIdsOf(settings);
  const searched = settings.sourceIds === undefined ? [...sources.keys()] : wanted;
  if (searched.some((sourceId) => sources.get(sourceId) === 'ready')) return null;
  return 'there is no document to search that is ready';
}
