import type {
  CreateToolDefinitionBody,
  ToolManifestEntry,
  UpdateToolDefinitionBody,
} from '@botyard/contracts/http/definitions-tools';
import { ToolKind, toolKinds } from '@botyard/contracts/http/tool-kinds';
import { z } from 'zod';
import type { Deps } from '../deps.ts';
import type { DefinitionKey, DefinitionRows } from '../store/definitions.ts';
import type { Shown } from '../store/publications.ts';
import { createDefinition, updateDefinition } from './definitions.ts';
import { needsSettings, settingsOf } from './tool-settings.ts';

/**
 * @throws HttpError 400 with the faults of its settings, 409 for a taken name or when the limit of tools is reached.
 */
export async function createTool(
  deps: Deps,
  { tenantId, by }: { tenantId: string; by: string },
  { name, kind, description, settings }: CreateToolDefinitionBody,
): Promise<Shown<DefinitionRows['tool']>> {
  const fields = {
    name,
    kind,
    description: description || toolKinds[kind].summary,
    settings: settingsOf(kind, settings),
  };
  return await createDefinition(deps, 'tool', { tenantId, fields, by });
}

/** Changes the fields in the body. @throws HttpError 400, 404, 409. */
export async function updateTool(
  deps: Deps,
  { key, by }: { key: DefinitionKey; by: string },
  { name, description, settings }: UpdateToolDefinitionBody,
): Promise<Shown<DefinitionRows['tool']>> {
  return await updateDefinition(deps, 'tool', {
    key,
    by,
    changeOf: ({ kind }) => ({
      name,
      description: description === '' ? toolKinds[kind].summary : description,
      settings: settings && settingsOf(kind, settings),
    }),
  });
}

/** Every kind of tool, with the JSON Schemas of its parameters and settings. */
export const toolManifest = (): ToolManifestEntry[] =>
  ToolKind.options.map((kind) => {
    const { summary, parameters, settings } = toolKinds[kind];
    const schemaOf = (shape: z.ZodType): Record<string, unknown> => z.toJSONSchema(shape, { io: 'input' });
    return {
      kind,
      summary,
      needsSettings: needsSettings(kind),
      parameters: schemaOf(parameters),
      settings: schemaOf(settings),
    };
  });
