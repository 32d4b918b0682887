import { z } from 'zod';
import { description, id } from './common.ts';
import { route } from './contract.ts';
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
    settings: anything.describe('What the kind needs, as `GET /api/definitions/tools/manifest` says.'),
  })
  .meta({ id: 'ToolDefinition', description: 'A tool that agents of the tenant may be given.' });

const uniqueName = toolName.describe('By which a model calls it; unique in the tenant.');
const settings = anything.describe('As `GET /api/definitions/tools/manifest` says for the kind.');
const toolDescription = description.describe("For the model. Without it the kind's own summary.");

export const CreateToolDefinitionBody = z.object({
  name: uniqueName,
  kind: ToolKind,
  description: toolDescription.default(''),
  settings: settings.default({}),
});
export type CreateToolDefinitionBody = z.output<typeof CreateToolDefinitionBody>;

/** PUT changes the fields that it carries (REQ-HTTP-3). A tool's kind can't change. */
export const UpdateToolDefinitionBody = z.object({
  name: uniqueName.optional(),
  description: toolDescription.optional(),
  settings: settings.optional().describe('All of them: what is left out gets its default.'),
});
export type UpdateToolDefinitionBody = z.output<typeof UpdateToolDefinitionBody>;

const jsonSchema = anything.describe('JSON Schema.');

export const ToolManifestEntry = z
  .object({
    kind: ToolKind,
    summary: z.string(),
    needsSettings: z.boolean().describe('Whether one can not be defined without settings.'),
    parameters: jsonSchema.describe('JSON Schema of what a model calls it with.'),
    settings: jsonSchema.describe('JSON Schema of what a tenant defines it with.'),
  })
  .meta({
    id: 'ToolManifestEntry',
    description: 'A kind of tool: what a model calls it with, and what a tenant defines it with.',
  });
export type ToolManifestEntry = z.output<typeof ToolManifestEntry>;

export const AvailableTool = z
  .object({
    id: id.nullable().describe('What `toolIds` takes; `null` while the tenant has defined none of the kind.'),
    name: z.string().describe('By which a model calls it.'),
    kind: ToolKind,
    description: z.string(),
    available: z.boolean().describe('Whether it can be attached and used now.'),
    reason: z.string().nullable().describe('Why it is not available, and what to do.'),
  })
  .meta({ id: 'AvailableTool', description: 'A tool as somebody sees it who chooses one for an agent.' });
export type AvailableTool = z.output<typeof AvailableTool>;

const SyncedTool = z.object({ id, name: z.string().describe('By which a model calls it.'), kind: ToolKind });
export const ToolSync = z
  .object({
    created: z.array(SyncedTool).describe('Tools that were missing.'),
    updated: z.array(SyncedTool).describe('Tools that had changed.'),
    unchanged: z.array(SyncedTool).describe('Tools that were as they should be.'),
  })
  .meta({ id: 'ToolSync', description: "What became of the tenant's tools." });
export type ToolSync = z.output<typeof ToolSync>;

/** Fixed paths come first, before paths with an identifier in the same place. */
const fixedToolRoutes = {
  getToolManifest: route({
    method: 'get',
    path: '/tools/manifest',
    access: 'member',
    summary: 'Every kind of tool, with the shapes of its parameters and settings.',
    response: z.array(ToolManifestEntry),
  }),
  listAvailableTools: route({
    method: 'get',
    path: '/tools/available',
    access: 'member',
    summary: "The tenant's tools and the kinds that it has none of, each with whether it can be used now.",
    response: z.array(AvailableTool),
  }),
  syncToolDefinitions: route({
    method: 'post',
    path: '/tools/sync',
    access: 'admin',
    summary: "Bring the tenant's tools up to date with the kinds.",
    description:
      'Creates a tool of every kind that needs no settings and that the tenant has none of, and gives settings that a kind ' +
      'has got since their defaults. Calling it again changes nothing.',
    response: ToolSync,
    errors: [409],
  }),
};

/** The part of `/api/definitions` that is about tools. */
export const toolDefinitionRoutes = {
  ...fixedToolRoutes,
  listToolDefinitions: route({
    method: 'get',
    path: '/tools',
    access: 'member',
    summary: 'List tool definitions.',
    query: listedDefinitions({ kind: ToolKind.optional() }),
    response: z.array(ToolDefinition),
    paged: true,
  }),
  createToolDefinition: route({
    method: 'post',
    path: '/tools',
    access: 'admin',
    summary: 'Create a tool definition.',
    description: `A tenant has ${maxDefinitions.tool} of them at most, and each name once: both are 409.`,
    body: CreateToolDefinitionBody,
    response: ToolDefinition,
    status: 201,
    errors: [409],
  }),
  getToolDefinition: route({
    method: 'get',
    path: '/tools/:id',
    access: 'member',
    summary: 'Get a tool definition.',
    response: ToolDefinition,
  }),
  updateToolDefinition: route({
    method: 'put',
    path: '/tools/:id',
    access: 'admin',
    summary: 'Update a tool definition: the fields that the body carries. It holds from the next answer on.',
    body: UpdateToolDefinitionBody,
    response: ToolDefinition,
    errors: [409],
  }),
  deleteToolDefinition: route({
    method: 'delete',
    path: '/tools/:id',
    access: 'admin',
    summary:
      'Delete a tool definition and withdraw its publication. One in use is 409, with `agents` and `capabilities` that have it.',
    errors: [409],
  }),
  publishToolDefinition: route({
    method: 'post',
    path: '/tools/:id/publish',
    access: 'admin',
    summary: 'Publish a tool definition to the marketplace.',
    description: aboutPublishing,
    response: ToolDefinition,
    errors: [422],
  }),
  unpublishToolDefinition: route({
    method: 'post',
    path: '/tools/:id/unpublish',
    access: 'admin',
    summary: 'Withdraw a tool definition from the marketplace.',
    description: aboutWithdrawing,
    response: ToolDefinition,
  }),
  copyToolDefinition: route({
    method: 'post',
    path: '/tools/:id/copy',
    access: 'admin',
    summary: 'Copy a published tool definition into the active tenant.',
    description: aboutCopying,
    response: ToolDefinition,
    status: 201,
    errors: [409],
  }),
};
