import { z } from 'zod';
import { ModelNotes } from './adjustments.ts';
import { Agent, AgentDetail, AgentStats, RefreshedRegistry } from './agent-figures.ts';
import { languageTag } from './bot-assignment.ts';
import { id } from './common.ts';
import { admin, anyAdminOrOperator, defineRouter, member } from './contract.ts';
import { listedDefinitions } from './definitions-common.ts';
import { Provider } from './provider.ts';
import { modelListRoutes } from './provider-model.ts';
import { TriageRecord } from './triage.ts';
import { trialRoutes } from './trials.ts';

export const AvailableAgent = z
  .object({ agentId: id, tenantId: id, name: z.string(), description: z.string() })
  .meta({
    id: 'AvailableAgent',
    description: 'The fields of an agent that are needed to choose one for a bot.',
  });
export type AvailableAgent = z.output<typeof AvailableAgent>;

export const TriagePreviewBody = z
  .object({
    message: z.string().max(20_000).describe('The text of the message to route.'),
    botId: id.optional(),
    agentIds: z.array(id).min(1).max(50).optional(),
    chatId: id.optional().describe('A chat of the bot, as listed by `/api/interactions/chats`.'),
    language: languageTag.optional().describe("The language of the sender's app."),
  })
  .superRefine(({ botId, agentIds, chatId }, ctx) => {
    if (!(botId || chatId) === !agentIds) {
      ctx.addIssue({
        code: 'custom',
        path: ['botId'],
        message: 'give either a bot or a chat (botId, chatId), or agentIds',
      });
    }
  })
  .meta({
    examples: [{ message: 'Where is my order?', botId: '01920000-0000-7000-8000-000000000002' }],
  });
export type TriagePreviewBody = z.output<typeof TriagePreviewBody>;

const UpdateAgentStatusBody = z.object({ enabled: z.boolean() });

const days = (most: number, usual: number) =>
  z.coerce
    .number()
    .int()
    .min(1)
    .max(most)
    .default(usual)
    .describe('The number of days in UTC to include, counting back from today.');

const ListAgentsQuery = listedDefinitions({
  days: days(90, 30),
  enabled: z
    .enum(['true', 'false'], { error: 'must be true or false' })
    .optional()
    .describe('Only agents that are enabled (`true`) or disabled (`false`).'),
  provider: Provider.optional(),
});
export type ListAgentsQuery = z.output<typeof ListAgentsQuery>;

export const agentsRouter = defineRouter({
  basePath: '/api/agents',
  service: 'agents',
  description: 'Status, usage and statistics of the agents of the active tenant.',
  routes: {
    listAgents: member.list('/', {
      summary: 'List the agents with their usage.',
      query: ListAgentsQuery,
      response: z.array(Agent),
    }),
    getAgentStats: member.get('/stats', {
      summary: "Get the agents' turns by day and by provider, and their latency.",
      query: z.object({ days: days(31, 7) }),
      response: AgentStats,
    }),
    ...modelListRoutes,
    getAgent: member.get('/:agentId', {
      summary: 'Get an agent with its instructions, the bots that it serves and its usage.',
      query: z.object({ days: days(90, 30) }),
      response: AgentDetail,
    }),
    getModelNotes: admin.get('/:agentId/model', {
      summary: "Get what an agent's model refuses, and the last refusal that could not be avoided.",
      description:
        'If a provider refuses a part of a request, the model is asked again without it. This is remembered for ' +
        '24 hours, or until the agent is changed.',
      response: ModelNotes,
    }),
    updateAgentStatus: anyAdminOrOperator.patch('/:agentId/status', {
      summary: 'Enable or disable an agent.',
      description:
        'An admin may change the agents of their tenants; an operator may change those of every tenant and of the ' +
        'platform. The change applies to every turn that starts after the response, in all instances. An answer ' +
        'in progress is not interrupted.',
      body: UpdateAgentStatusBody,
      response: AgentDetail,
    }),
    ...trialRoutes,
    refreshRegistry: admin.post('/registry/refresh', {
      summary: "Refresh the active tenant's agents in all instances, discarding cached definitions.",
      description:
        'Changes take effect without a refresh. To refresh the agents of the platform, an operator selects the ' +
        'platform as the active tenant.',
      response: RefreshedRegistry,
    }),
    previewTriage: member.post('/triage-preview', {
      summary: 'Preview which agent would handle a message, using the same code as routing.',
      description:
        'With `chatId`, the assignments and the last agent of that chat are taken into account. No model is ' +
        'called. If routing would call a model to break a tie, `tied` lists the agents it would choose from, and ' +
        'the response shows the agent that is used if that call fails.',
      body: TriagePreviewBody,
      response: TriageRecord,
      errors: [404],
    }),
  },
});
