import type { Router } from '@botyard/contracts/http/contract';
import type { capabilityDefinitionRoutes } from '@botyard/contracts/http/definitions-capabilities';
import type { Handlers } from '@botyard/shared/http/mount';
import type { Deps } from '../deps.ts';
import { copyDefinition } from '../domain/copying.ts';
import { createDefinition, deleteDefinition, updateDefinition } from '../domain/definitions.ts';
import { publish, unpublish } from '../domain/publishing.ts';
import { showOne, showPage, toDefinition } from './shown.ts';

/** The part of `/api/definitions` that is about capabilities. */
export const capabilityDefinitionHandlers: Handlers<Router<typeof capabilityDefinitionRoutes>, Deps> = {
  listCapabilityDefinitions: (input, deps) => showPage(deps, 'capability', input),

  createCapabilityDefinition: async ({ tenantId, body, caller }, deps) =>
    toDefinition(await createDefinition(deps, 'capability', { tenantId, fields: body, by: caller.userId })),

  getCapabilityDefinition: ({ tenantId, params: { id } }, deps) =>
    showOne(deps, 'capability', { tenantId, id }),

  updateCapabilityDefinition: async ({ tenantId, params: { id }, body, caller }, deps) =>
    toDefinition(
      await updateDefinition(deps, 'capability', {
        key: { tenantId, id },
        by: caller.userId,
        changeOf: () => body,
      }),
    ),

  deleteCapabilityDefinition: ({ tenantId, params: { id } }, deps) =>
    deleteDefinition(deps, 'capability', { tenantId, id }),

  publishCapabilityDefinition: async ({ tenantId, params: { id }, caller }, deps) =>
    toDefinition(await publish(deps, 'capability', { key: { tenantId, id }, by: caller.userId })),

  unpublishCapabilityDefinition: async ({ tenantId, params: { id } }, deps) =>
    toDefinition(await unpublish(deps, 'capability', { tenantId, id })),

  copyCapabilityDefinition: async ({ tenantId, params: { id }, caller }, deps) =>
    toDefinition(await copyDefinition(deps, 'capability', { key: { tenantId, id }, by: caller.userId })),
};
