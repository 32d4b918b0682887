import { z } from 'zod';
import { description, id } from './common.ts';
import { admin, member } from './contract.ts';
import {
  aboutCopying,
  aboutPublishing,
  aboutWithdrawing,
  definitionFields,
  listedDefinitions,
  maxDefinitions,
} from './definitions-common.ts';
import { ToolKind, toolName } from './tool-kinds.ts';

const anything = z.record(z.string(), z.unknown());

export const ToolDefinition = z
  .object({
    ...definitionFields,
    kind: ToolKind,
    settings: anything.describe(
      'Settings of the tool. `GET /api/definitions/tools/manifest` describes them for each kind.',
    ),
  })
  .meta({ id: 'ToolDefinition', description: 'A tool that can be attached to agents of the tenant.' });

const uniqueName = toolName.describe('The name by which models call the tool. Unique within the tenant.');
const settings = anything.describe(
  'Settings of the tool. `GET /api/definitions/tools/manifest` describes them for each kind.',
);
const toolDescription = description.describe(
  'A description of the tool for the model. If empty, the summary of its kind is used.',
);

export const CreateToolDefinitionBody = z.object({
  name: uniqueName,
  kind: ToolKind,
  description: toolDescription.default(''),
  settings: settings.default({}),
});
export type CreateToolDefinitionBody = z.output<typeof CreateToolDefinitionBody>;

/** PUT updates only the fields in its body (REQ-HTTP-3). A tool's kind can't be changed. */
export const UpdateToolDefinitionBody = z.object({
  name: uniqueName.optional(),
  description: toolDescription.optional(),
  settings: settings
    .optional()
    .describe('All settings of the tool. Omitted ones are reset to their defaults.'),
});
export type UpdateToolDefinitionBody = z.output<typeof UpdateToolDefinitionBody>;

const jsonSchema = anything.describe('A JSON Schema.');

export const ToolManifestEntry = z
  .object({
    kind: ToolKind,
    summary: z.string(),
    needsSettings: z.boolean().describe('Whether a tool of this kind cannot be defined without settings.'),
    parameters: jsonSchema.describe('JSON Schema of the arguments with which a model calls the tool.'),
    settings: jsonSchema.describe('JSON Schema of the settings with which a tenant defines the tool.'),
  })
  .meta({
    id: 'ToolManifestEntry',
    description: 'A kind of tool, with the schemas of its arguments and its settings.',
  });
export type ToolManifestEntry = z.output<typeof ToolManifestEntry>;

export const AvailableTool = z
  .object({
    id: id
      .nullable()
      .describe(
        'The identifier to use in `toolIds`; `null` if the tenant has not defined a tool of this kind.',
      ),
    name: z.string().describe('The name by which the model calls the tool.'),
    kind: ToolKind,
    description: z.string(),
    available: z.boolean().describe('Whether the tool can be attached and used now.'),
    reason: z
      .string()
      .nullable()
      .describe('Why the tool is not available, and what to do about it; `null` if it is available.'),
  })
  .meta({
    id: 'AvailableTool',
    description: 'The fields of a tool that are needed to choose one for an agent.',
  });
export type AvailableTool = z.output<typeof AvailableTool>;

const SyncedTool = z.object({
  id,
  name: z.string().describe('The name by which the model calls the tool.'),
  kind: ToolKind,
});
export const ToolSync = z
  .object({
    created: z.array(SyncedTool).describe('Tools that were missing and have been created.'),
    updated: z.array(SyncedTool).describe('Tools whose settings have been updated.'),
    unchanged: z.array(SyncedTool).describe('Tools that were already up to date.'),
  })
  .meta({ id: 'ToolSync', description: "The result of bringing the tenant's tools up to date." });
export type ToolSync = z.output<typeof ToolSync>;

/** Fixed paths precede paths with an identifier in the same place, so that they match first. */
const fixedToolRoutes = {
  getToolManifest: member.get('/tools/manifest', {
    summary: 'List all kinds of tools, with the schemas of their parameters and settings.',
    response: z.array(ToolManifestEntry),
  }),
  listAvailableTools: member.get('/tools/available', {
    summary: "List the tenant's tools, and the kinds of which it has none, with their availability.",
    response: z.array(AvailableTool),
  }),
  syncToolDefinitions: admin.post('/tools/sync', {
    summary: "Bring the tenant's tools up to date with the available kinds.",
    description:
      'Creates a tool of each kind that needs no settings and of which the tenant has none. Settings that were ' +
      'added to a kind later are set to their defaults. The operation is idempotent.',
    response: ToolSync,
    errors: [409],
  }),
};

/** The routes of `/api/definitions` for tools. */
export const toolDefinitionRoutes = {
  ...fixedToolRoutes,
  listToolDefinitions: member.list('/tools', {
    summary: 'List tool definitions.',
    query: listedDefinitions({ kind: ToolKind.optional() }),
    response: z.array(ToolDefinition),
  }),
  createToolDefinition: admin.post('/tools', {
    summary: 'Create a tool definition.',
    description: `Returns 409 if the tenant already has ${maxDefinitions.tool} tools, or one with this name.`,
    body: CreateToolDefinitionBody,
    response: ToolDefinition,
    status: 201,
    errors: [409],
  }),
  getToolDefinition: member.get('/tools/:id', {
    summary: 'Get a tool definition.',
    response: ToolDefinition,
  }),
  updateToolDefinition: admin.put('/tools/:id', {
    summary: 'Update a tool definition, effective from the next answer. Omitted fields are unchanged.',
    body: UpdateToolDefinitionBody,
    response: ToolDefinition,
    errors: [409],
  }),
  deleteToolDefinition: admin.delete('/tools/:id', {
    summary:
      'Delete a tool definition and withdraw its publication. Returns 409 with `agents` and `capabilities` if ' +
      'any of them use it.',
    errors: [409],
  }),
  publishToolDefinition: admin.post('/tools/:id/publish', {
    summary: 'Publish a tool definition to the marketplace.',
    description: aboutPublishing,
    response: ToolDefinition,
    errors: [422],
  }),
  unpublishToolDefinition: admin.post('/tools/:id/unpublish', {
    summary: 'Withdraw a tool definition from the marketplace.',
    description: aboutWithdrawing,
    response: ToolDefinition,
  }),
  copyToolDefinition: admin.post('/tools/:id/copy', {
    summary: 'Copy a published tool definition into the active tenant.',
    description: aboutCopying,
    response: ToolDefinition,
    status: 201,
    errors: [409],
  }),
};
