import { z } from 'zod';
import { description, id, name } from './common.ts';
import { route } from './contract.ts';
import { CapabilityDefinition } from './definitions-capabilities.ts';
import {
  aboutCopying,
  aboutPublishing,
  aboutWithdrawing,
  definitionFields,
  idsOf,
  keywords,
  listedDefinitions,
  maxCapabilitiesOfAgent,
  maxDefinitions,
  maxToolsOfAgent,
} from './definitions-common.ts';
import { ToolDefinition } from './definitions-tools.ts';
import { Provider } from './provider.ts';
import { ModelSettings } from './settings-of-model.ts';

const keepsSummary = z
  .boolean()
  .describe(
    'What no longer fits into its window is told in a summary, which its model writes. A copy keeps none.',
  );

export const AgentDefinition = z
  .object({
    ...definitionFields,
    instructions: z.string(),
    provider: Provider,
    model: z.string(),
    keywords: z.array(z.string()),
    toolIds: z.array(id),
    capabilityIds: z.array(id),
    keepsSummary,
    modelSettings: ModelSettings,
  })
  .meta({
    id: 'AgentDefinition',
    description: 'What an agent is: its instructions, model, tools and capabilities.',
  });

const instructions = z.string().min(1).max(50_000);
const model = z.string().trim().min(1).max(200);
const toolIds = idsOf('tool', maxToolsOfAgent).describe('Tools of the tenant.');
const capabilityIds = idsOf('capability', maxCapabilitiesOfAgent).describe('Capabilities of the tenant.');

const CreateAgentDefinitionBody = z.object({
  name,
  description: description.default(''),
  instructions,
  provider: Provider,
  model,
  keywords: keywords.default([]),
  toolIds: toolIds.default([]),
  capabilityIds: capabilityIds.default([]),
  keepsSummary: keepsSummary.default(false),
  modelSettings: ModelSettings.default({}),
});

/** PUT changes the fields that it carries (REQ-HTTP-3). */
export const UpdateAgentDefinitionBody = z
  .object({
    ...{
      name,
      description,
      instructions,
      provider: Provider,
      model,
      keywords,
      toolIds,
      capabilityIds,
      keepsSummary,
    },
    modelSettings: ModelSettings.describe('All of them: what is left out is set no more.'),
  })
  .partial();
export type UpdateAgentDefinitionBody = z.output<typeof UpdateAgentDefinitionBody>;

/** Room for instructions whose every character is escaped. */
const maxBodyBytes = 512 * 1024;

/** The part of `/api/definitions` that is about agents. */
export const agentDefinitionRoutes = {
  listAgentDefinitions: route({
    method: 'get',
    path: '/agents',
    access: 'member',
    summary: 'List agent definitions.',
    query: listedDefinitions({ provider: Provider.optional(), model: model.optional() }),
    response: z.array(AgentDefinition),
    paged: true,
  }),
  createAgentDefinition: route({
    method: 'post',
    path: '/agents',
    access: 'admin',
    summary: 'Create an agent definition.',
    description: `A tenant has ${maxDefinitions.agent} of them at most: one more is 409. What its provider does not take of \`modelSettings\` is 400.`,
    body: CreateAgentDefinitionBody,
    maxBodyBytes,
    response: AgentDefinition,
    status: 201,
    errors: [409],
  }),
  getAgentDefinition: route({
    method: 'get',
    path: '/agents/:id',
    access: 'member',
    summary: 'Get an agent definition.',
    response: AgentDefinition,
  }),
  updateAgentDefinition: route({
    method: 'put',
    path: '/agents/:id',
    access: 'admin',
    summary:
      'Update an agent definition: the fields that the body carries. It holds from the next answer on.',
    description:
      'What its provider does not take of `modelSettings` is 400, also when only the provider changes.',
    body: UpdateAgentDefinitionBody,
    maxBodyBytes,
    response: AgentDefinition,
  }),
  deleteAgentDefinition: route({
    method: 'delete',
    path: '/agents/:id',
    access: 'admin',
    summary: 'Delete an agent definition and withdraw its publication. One that a bot uses is 409.',
    errors: [409],
  }),
  listToolsOfAgent: route({
    method: 'get',
    path: '/agents/:id/tools',
    access: 'member',
    summary: 'List the tools that are attached to an agent itself, in its order.',
    response: z.array(ToolDefinition),
  }),
  listCapabilitiesOfAgent: route({
    method: 'get',
    path: '/agents/:id/capabilities',
    access: 'member',
    summary: 'List the capabilities that are attached to an agent, in its order.',
    response: z.array(CapabilityDefinition),
  }),
  publishAgentDefinition: route({
    method: 'post',
    path: '/agents/:id/publish',
    access: 'admin',
    summary: 'Publish an agent definition to the marketplace.',
    description: aboutPublishing,
    response: AgentDefinition,
    errors: [422],
  }),
  unpublishAgentDefinition: route({
    method: 'post',
    path: '/agents/:id/unpublish',
    access: 'admin',
    summary: 'Withdraw an agent definition from the marketplace.',
    description: aboutWithdrawing,
    response: AgentDefinition,
  }),
  copyAgentDefinition: route({
    method: 'post',
    path: '/agents/:id/copy',
    access: 'admin',
    summary: 'Copy a published agent definition into the active tenant.',
    description: aboutCopying,
    response: AgentDefinition,
    status: 201,
    errors: [409],
  }),
};
