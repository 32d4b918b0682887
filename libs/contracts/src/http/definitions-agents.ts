import { z } from 'zod';
import { description, id, name } from './common.ts';
import { admin, member } from './contract.ts';
import { CapabilityDefinition } from './definitions-capabilities.ts';
import {
  aboutCopying,
  aboutPublishing,
  aboutRequiredTests,
  aboutWithdrawing,
  definitionFields,
  idsOf,
  keywords,
  listedDefinitions,
  maxCapabilitiesOfAgent,
  maxDefinitions,
  maxToolsOfAgent,
  overrideReason,
} from './definitions-common.ts';
import { ToolDefinition } from './definitions-tools.ts';
import { Provider } from './provider.ts';
import { ModelSettings } from './settings-of-model.ts';

const keepsSummary = z
  .boolean()
  .describe(
    "Whether messages that no longer fit into the context window are replaced by a summary, which the agent's " +
      'model writes. Always `false` in a new copy.',
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
    serverIds: z.array(id).describe('The MCP servers whose allowed tools the agent has.'),
    keepsSummary,
    modelSettings: ModelSettings,
    hasDraft: z.boolean().describe('Whether the agent has changes that are not live yet.'),
  })
  .meta({
    id: 'AgentDefinition',
    description: 'The definition of an agent: its instructions, model, tools, capabilities and MCP servers.',
  });

const instructions = z.string().min(1).max(50_000);
const model = z.string().trim().min(1).max(200);
const toolIds = idsOf('tool', maxToolsOfAgent).describe(
  'Tools of the tenant that are attached to the agent itself, in order.',
);
const capabilityIds = idsOf('capability', maxCapabilitiesOfAgent).describe(
  'Capabilities of the tenant that are attached to the agent, in order.',
);

const serverIds = idsOf('server', maxToolsOfAgent).describe(
  'MCP servers of the tenant whose allowed tools the agent has, in order. Each counts as one of the ' +
    `${maxToolsOfAgent} tools of the agent.`,
);

const CreateAgentDefinitionBody = z.object({
  name,
  description: description.default(''),
  instructions,
  provider: Provider,
  model,
  keywords: keywords.default([]),
  toolIds: toolIds.default([]),
  capabilityIds: capabilityIds.default([]),
  serverIds: serverIds.default([]),
  keepsSummary: keepsSummary.default(false),
  modelSettings: ModelSettings.default({}),
});

/** PUT updates only the fields in its body (REQ-HTTP-3). */
export const UpdateAgentDefinitionBody = z
  .object({
    name,
    description,
    instructions,
    provider: Provider,
    model,
    keywords,
    toolIds,
    capabilityIds,
    serverIds,
    keepsSummary,
    modelSettings: ModelSettings.describe('All model settings. Omitted ones are removed.'),
  })
  .partial();
export type UpdateAgentDefinitionBody = z.output<typeof UpdateAgentDefinitionBody>;

const aboutServerIds = 'Returns 422 with `issues` for servers that the tenant does not have.';

/** Leaves room for instructions in which every character is escaped. */
export const maxBodyBytes = 512 * 1024;

/** The routes of `/api/definitions` for agents. */
export const agentDefinitionRoutes = {
  listAgentDefinitions: member.list('/agents', {
    summary: 'List agent definitions.',
    query: listedDefinitions({ provider: Provider.optional(), model: model.optional() }),
    response: z.array(AgentDefinition),
  }),
  createAgentDefinition: admin.post('/agents', {
    summary: 'Create an agent definition.',
    description: `Returns 409 if the tenant already has ${maxDefinitions.agent} agents, and 400 if the provider does not support a field of \`modelSettings\`. ${aboutServerIds}`,
    body: CreateAgentDefinitionBody,
    maxBodyBytes,
    response: AgentDefinition,
    status: 201,
    errors: [409, 422],
  }),
  getAgentDefinition: member.get('/agents/:id', {
    summary: 'Get an agent definition.',
    response: AgentDefinition,
  }),
  updateAgentDefinition: admin.put('/agents/:id', {
    summary: 'Update an agent definition, effective from the next answer. Omitted fields are unchanged.',
    description:
      'Returns 400 if the provider does not support a field of `modelSettings`, even if only the provider is changed. ' +
      `${aboutServerIds} ${aboutRequiredTests} A reason to override them is given with the draft.`,
    body: UpdateAgentDefinitionBody,
    maxBodyBytes,
    response: AgentDefinition,
    errors: [409, 422],
  }),
  deleteAgentDefinition: admin.delete('/agents/:id', {
    summary: 'Delete an agent definition and withdraw its publication. Returns 409 if a bot uses it.',
    errors: [409],
  }),
  listToolsOfAgent: member.get('/agents/:id/tools', {
    summary: 'List the tools that are attached to an agent itself, in order.',
    response: z.array(ToolDefinition),
  }),
  listCapabilitiesOfAgent: member.get('/agents/:id/capabilities', {
    summary: 'List the capabilities that are attached to an agent, in order.',
    response: z.array(CapabilityDefinition),
  }),
  publishAgentDefinition: admin.post('/agents/:id/publish', {
    summary: 'Publish an agent definition to the marketplace.',
    description: `${aboutPublishing} ${aboutRequiredTests}`,
    body: z.object({ overrideReason }),
    response: AgentDefinition,
    errors: [409, 422],
  }),
  unpublishAgentDefinition: admin.post('/agents/:id/unpublish', {
    summary: 'Withdraw an agent definition from the marketplace.',
    description: aboutWithdrawing,
    response: AgentDefinition,
  }),
  copyAgentDefinition: admin.post('/agents/:id/copy', {
    summary: 'Copy a published agent definition into the active tenant.',
    description: aboutCopying,
    response: AgentDefinition,
    status: 201,
    errors: [409],
  }),
};
