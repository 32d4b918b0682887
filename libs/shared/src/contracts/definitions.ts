import { z } from 'zod';
import { defineRouter, route } from '../http/contract.ts';
import { PageQuery } from '../http/page.ts';
import { description, id, moment, name } from './common.ts';
import { Provider } from './keys.ts';

/** Where a copied definition comes from; the copy doesn't change when that one does. */
export const CopyOrigin = z.object({ definitionId: id, version: z.number().int().positive() });
export type CopyOrigin = z.output<typeof CopyOrigin>;

export const AgentDefinition = z
  .object({
    id,
    tenantId: id,
    name: z.string(),
    description: z.string(),
    instructions: z.string(),
    provider: Provider,
    model: z.string(),
    keywords: z.array(z.string()),
    toolIds: z.array(id),
    capabilityIds: z.array(id),
    version: z.number().int().positive(),
    createdAt: moment,
    updatedAt: moment,
  })
  .meta({ id: 'AgentDefinition' });
export type AgentDefinition = z.input<typeof AgentDefinition>;

export const CreateAgentDefinitionBody = z.object({
  name,
  description: description.default(''),
  instructions: z.string().min(1).max(50_000),
  provider: Provider,
  model: z.string().trim().min(1).max(200),
  keywords: z.array(z.string().trim().min(1).max(100)).max(100).default([]),
});
export type CreateAgentDefinitionBody = z.output<typeof CreateAgentDefinitionBody>;

export const definitionsRouter = defineRouter({
  basePath: '/api/definitions',
  service: 'agents',
  description: 'Definitions that bots are served by. They belong to the active tenant.',
  routes: {
    listAgentDefinitions: route({
      method: 'get',
      path: '/agents',
      access: 'member',
      summary: 'List agent definitions.',
      query: PageQuery,
      response: z.array(AgentDefinition),
      paged: true,
    }),
    createAgentDefinition: route({
      method: 'post',
      path: '/agents',
      access: 'admin',
      summary: 'Create an agent definition.',
      body: CreateAgentDefinitionBody,
      response: AgentDefinition,
      status: 201,
    }),
    getAgentDefinition: route({
      method: 'get',
      path: '/agents/:id',
      access: 'member',
      summary: 'Get an agent definition.',
      response: AgentDefinition,
    }),
    deleteAgentDefinition: route({
      method: 'delete',
      path: '/agents/:id',
      access: 'admin',
      summary: 'Delete an agent definition. One that a bot uses is 409.',
      errors: [409],
    }),
  },
});
