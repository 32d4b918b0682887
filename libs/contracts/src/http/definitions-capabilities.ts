import { z } from 'zod';
import { description, id, name } from './common.ts';
import { admin, member } from './contract.ts';
import {
  aboutCopying,
  aboutPublishing,
  aboutWithdrawing,
  definitionFields,
  idsOf,
  keywords,
  listedDefinitions,
  maxDefinitions,
  maxToolsOfCapability,
} from './definitions-common.ts';

export const CapabilityDefinition = z
  .object({
    ...definitionFields,
    instructions: z
      .string()
      .describe(
        "Instructions for using the tools of the capability, which are added to the agent's instructions.",
      ),
    keywords: z.array(z.string()),
    toolIds: z.array(id),
  })
  .meta({
    id: 'CapabilityDefinition',
    description: 'A bundle of instructions and tools that can be attached to agents.',
  });

const instructions = z.string().max(8000);
const toolIds = idsOf('tool', maxToolsOfCapability).describe(
  'Tools of the tenant that belong to the capability, in order.',
);

const CreateCapabilityDefinitionBody = z.object({
  name,
  description: description.default(''),
  instructions: instructions.default(''),
  keywords: keywords.default([]),
  toolIds: toolIds.default([]),
});

/** PUT updates only the fields in its body (REQ-HTTP-3). */
const UpdateCapabilityDefinitionBody = z
  .object({ name, description, instructions, keywords, toolIds })
  .partial();

/** The routes of `/api/definitions` for capabilities. */
export const capabilityDefinitionRoutes = {
  listCapabilityDefinitions: member.list('/capabilities', {
    summary: 'List capabilities: bundles of tools with instructions.',
    query: listedDefinitions({}),
    response: z.array(CapabilityDefinition),
  }),
  createCapabilityDefinition: admin.post('/capabilities', {
    summary: 'Create a capability.',
    description: `Returns 409 if the tenant already has ${maxDefinitions.capability} capabilities.`,
    body: CreateCapabilityDefinitionBody,
    response: CapabilityDefinition,
    status: 201,
    errors: [409],
  }),
  getCapabilityDefinition: member.get('/capabilities/:id', {
    summary: 'Get a capability.',
    response: CapabilityDefinition,
  }),
  updateCapabilityDefinition: admin.put('/capabilities/:id', {
    summary: 'Update a capability, effective from the next answer. Omitted fields are unchanged.',
    body: UpdateCapabilityDefinitionBody,
    response: CapabilityDefinition,
  }),
  deleteCapabilityDefinition: admin.delete('/capabilities/:id', {
    summary:
      'Delete a capability and withdraw its publication. Returns 409 with the agents in `agents` if any agent uses it.',
    errors: [409],
  }),
  publishCapabilityDefinition: admin.post('/capabilities/:id/publish', {
    summary: 'Publish a capability to the marketplace.',
    description: aboutPublishing,
    response: CapabilityDefinition,
    errors: [422],
  }),
  unpublishCapabilityDefinition: admin.post('/capabilities/:id/unpublish', {
    summary: 'Withdraw a capability from the marketplace.',
    description: aboutWithdrawing,
    response: CapabilityDefinition,
  }),
  copyCapabilityDefinition: admin.post('/capabilities/:id/copy', {
    summary: 'Copy a published capability into the active tenant.',
    description: aboutCopying,
    response: CapabilityDefinition,
    status: 201,
    errors: [409],
  }),
};
