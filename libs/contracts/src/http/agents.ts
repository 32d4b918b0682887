import { z } from 'zod';
import { Agent, AgentDetail, AgentStats, RefreshedRegistry } from './agent-figures.ts';
import { languageTag } from './bot-assignment.ts';
import { id } from './common.ts';
import { defineRouter, route } from './contract.ts';
import { listedDefinitions } from './definitions-common.ts';
import { Provider } from './provider.ts';
import { TriageRecord } from './triage.ts';
import { trialRoutes } from './trials.ts';

/** An agent in the view of a person who chooses one for a bot. */
export const AvailableAgent = z
  .object({ agentId: id, tenantId: id, name: z.string(), description: z.string() })
  .meta({ id: 'AvailableAgent', description: 'An agent as somebody sees it who chooses one for a bot.' });
export type AvailableAgent = z.output<typeof AvailableAgent>;

export const TriagePreviewBody = z
  .object({
    message: z.string().max(20_000).describe('What a person might write.'),
    botId: id.optional(),
    agentIds: z.array(id).min(1).max(50).optional(),
    chatId: id.optional().describe('A chat of the bot, from `/api/interactions/chats`.'),
    language: languageTag.optional().describe("Of the person's app."),
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
  z.coerce.number().int().min(1).max(most).default(usual).describe('Today and the UTC days before.');

const ListAgentsQuery = listedDefinitions({
  days: days(90, 30),
  enabled: z
    .enum(['true', 'false'], { error: 'must be true or false' })
    .optional()
    .describe('Whether it is enabled.'),
  provider: Provider.optional(),
});
export type ListAgentsQuery = z.output<typeof ListAgentsQuery>;

export const agentsRouter = defineRouter({
  basePath: '/api/agents',
  service: 'agents',
  description: 'Agents as they run, of the active tenant.',
  routes: {
    listAgents: route({
      method: 'get',
      path: '/',
      access: 'member',
      summary: 'List the agents and their usage.',
      query: ListAgentsQuery,
      response: z.array(Agent),
      paged: true,
    }),
    getAgentStats: route({
      method: 'get',
      path: '/stats',
      access: 'member',
      summary: 'Get what the agents did: by day, by provider, and how long they took.',
      query: z.object({ days: days(31, 7) }),
      response: AgentStats,
    }),
    getAgent: route({
      method: 'get',
      path: '/:agentId',
      access: 'member',
      summary: 'Get an agent as it runs: what of its definition matters, where it serves, what it used.',
      query: z.object({ days: days(90, 30) }),
      response: AgentDetail,
    }),
    updateAgentStatus: route({
      method: 'patch',
      path: '/:agentId/status',
      access: 'anyAdminOrOperator',
      summary: 'Enable or disable an agent.',
      description:
        'An admin changes the agents of their tenants, an operator those of every tenant and of the platform. Holds for every turn that begins after the answer, in all instances. An answer that is being made is not interrupted.',
      body: UpdateAgentStatusBody,
      response: AgentDetail,
    }),
    ...trialRoutes,
    refreshRegistry: route({
      method: 'post',
      path: '/registry/refresh',
      access: 'admin',
      summary:
        "Have all instances forget what they remember of the active tenant's agents, and read them anew.",
      description:
        'Changes hold without it. An operator refreshes the agents of the platform with the platform as active tenant.',
      response: RefreshedRegistry,
    }),
    previewTriage: route({
      method: 'post',
      path: '/triage-preview',
      access: 'member',
      summary: 'Which agent would handle a message; runs the code that routing runs.',
      description:
        'With `chatId`, the assignments and the last agent of that chat count. No model is asked: where one would be, ' +
        '`tied` names the agents it would choose among, and the answer is what counts when it fails.',
      body: TriagePreviewBody,
      response: TriageRecord,
      errors: [404],
    }),
  },
});
