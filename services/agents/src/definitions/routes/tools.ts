import type { Router } from '@botyard/contracts/http/contract';
import type { toolDefinitionRoutes } from '@botyard/contracts/http/definitions-tools';
import type { Handlers } from '@botyard/shared/http/mount';
import type { Deps } from '../deps.ts';
import { listAvailableTools } from '../domain/available-tools.ts';
import { copyDefinition } from '../domain/copying.ts';
import { deleteDefinition } from '../domain/definitions.ts';
import { publish, unpublish } from '../domain/publishing.ts';
import { syncTools } from '../domain/sync-tools.ts';
import { createTool, toolManifest, updateTool } from '../domain/tools.ts';
import { showOne, showPage, toDefinition } from './shown.ts';

/** The part of `/api/definitions` that is about tools. */
export const toolDefinitionHandlers: Handlers<Router<typeof toolDefinitionRoutes>, Deps> = {
  getToolManifest: async () => toolManifest(),

  listAvailableTools: ({ tenantId }, { database }) => listAvailableTools(database, tenantId),

  syncToolDefinitions: ({ tenantId, caller }, deps) => syncTools(deps, { tenantId, by: caller.userId }),

  listToolDefinitions: (input, deps) => showPage(deps, 'tool', input),

  createToolDefinition: async ({ tenantId, body, caller }, deps) =>
    toDefinition(await createTool(deps, { tenantId, by: caller.userId }, body)),

  getToolDefinition: ({ tenantId, params: { id } }, deps) => showOne(deps, 'tool', { tenantId, id }),

  updateToolDefinition: async ({ tenantId, params: { id }, body, caller }, deps) =>
    toDefinition(await updateTool(deps, { key: { tenantId, id }, by: caller.userId }, body)),

  deleteToolDefinition: ({ tenantId, params: { id } }, deps) =>
    deleteDefinition(deps, 'tool', { tenantId, id }),

  publishToolDefinition: async ({ tenantId, params: { id }, caller }, deps) =>
    toDefinition(await publish(deps, 'tool', { key: { tenantId, id }, by: caller.userId })),

  unpublishToolDefinition: async ({ tenantId, params: { id } }, deps) =>
    toDefinition(await unpublish(deps, 'tool', { tenantId, id })),

  copyToolDefinition: async ({ tenantId, params: { id }, caller }, deps) =>
    toDefinition(await copyDefinition(deps, 'tool', { key: { tenantId, id }, by: caller.userId })),
};
