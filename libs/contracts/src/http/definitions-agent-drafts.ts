import { z } from 'zod';
import { id, moment } from './common.ts';
import { admin, member } from './contract.ts';
import { AgentContent } from './definitions-agent-versions.ts';
import { AgentDefinition, maxBodyBytes, UpdateAgentDefinitionBody } from './definitions-agents.ts';
import { aboutRequiredTests, overrideReason } from './definitions-common.ts';

const base = z
  .int()
  .positive()
  .max(2 ** 31 - 1)
  .describe('The version of the definition that the draft changes.');

const AgentDraft = AgentContent.extend({
  base,
  changed: z.array(AgentContent.keyof()).describe('The fields that differ from the live definition.'),
  updatedAt: moment,
  updatedBy: id.describe('The user who changed the draft last.'),
}).meta({
  id: 'AgentDraft',
  description:
    'Changes of an agent that are not live yet, with all its fields: those not drafted are as they are live.',
});

const SaveAgentDraftBody = UpdateAgentDefinitionBody.extend({ base });

const GoLiveBody = z.object({
  note: z
    .string()
    .trim()
    .min(1)
    .max(1000)
    .optional()
    .describe('What changes and why. The new version keeps it.'),
  overrideReason,
});

/** The routes of `/api/definitions` for drafts of agents. */
export const agentDraftRoutes = {
  getAgentDraft: member.get('/agents/:id/draft', {
    summary: 'Get the draft of an agent definition.',
    description: 'Returns 404 if the agent has none; `hasDraft` of the definition tells.',
    response: AgentDraft,
  }),
  saveAgentDraft: admin.put('/agents/:id/draft', {
    summary: 'Save the draft of an agent definition. Answers are not affected. Omitted fields are unchanged.',
    description:
      'Creates the draft if the agent has none. Validated like an update of the definition. `base` moves a draft to ' +
      'a newer version; 400 if the definition never had that version.',
    body: SaveAgentDraftBody,
    maxBodyBytes,
    response: AgentDraft,
    errors: [422],
  }),
  discardAgentDraft: admin.delete('/agents/:id/draft', {
    summary: 'Discard the draft of an agent definition. Returns 404 if it has none.',
  }),
  makeAgentDraftLive: admin.post('/agents/:id/draft/go-live', {
    summary: 'Update an agent definition with its draft, which ends, effective from the next answer.',
    description:
      'Returns 409 if `base` is no longer the live version, unless only tools or capabilities of the agent were changed ' +
      'since, and 400 with `issues` if tools or capabilities of the ' +
      'draft no longer exist, or 422 if servers do not. The draft is kept then. A draft without changes creates no version. ' +
      aboutRequiredTests,
    body: GoLiveBody,
    response: AgentDefinition,
    errors: [404, 409, 422],
  }),
};
