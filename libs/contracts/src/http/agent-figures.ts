import { z } from 'zod';
import { id, moment } from './common.ts';
import { Provider } from './provider.ts';
import { ModelSettings } from './settings-of-model.ts';

const count = z.int();

const AgentUsage = z
  .object({
    answered: count.describe('Turns that ended with an answer.'),
    apologized: count.describe('Turns that ended with an apology from Botyard instead of an answer.'),
    inputTokens: count,
    outputTokens: count,
    toolCalls: count,
    botIds: z.array(id).describe('The bots in which the agent answered.'),
    lastUsedAt: moment
      .nullable()
      .describe('When its last turn ended, even if before the period; `null` if it has had no turn.'),
  })
  .meta({ id: 'AgentUsage', description: 'How much an agent was used over a number of days.' });

export const Agent = z
  .object({
    agentId: id,
    tenantId: id,
    name: z.string(),
    description: z.string(),
    provider: Provider,
    model: z.string(),
    keywords: z.array(z.string()),
    toolIds: z.array(id),
    capabilityIds: z.array(id),
    serverIds: z.array(id),
    version: count,
    enabled: z.boolean().describe('Whether the agent may answer.'),
    bots: z
      .array(z.object({ botId: id, name: z.string() }))
      .describe(
        'The bots that the agent serves, either as one of their agents or through an assignment. At most 100.',
      ),
    usage: AgentUsage.describe('Usage over the last `days` days in UTC, including today.'),
    createdAt: moment,
    updatedAt: moment,
  })
  .meta({
    id: 'Agent',
    description: 'An agent with its current status, the bots that it serves and its usage.',
  });
export type Agent = z.input<typeof Agent>;

export const AgentDetail = Agent.extend({ instructions: z.string(), modelSettings: ModelSettings }).meta({
  id: 'AgentDetail',
  description: 'An agent with its current status, its usage and its instructions.',
});
export type AgentDetail = z.input<typeof AgentDetail>;

/** Milliseconds from the start of an answer to its end, for answered turns only; `null` if there were none. */
const Latency = z
  .object({ p50: count, p95: count, p99: count })
  .nullable()
  .describe('Duration of answered turns in milliseconds; `null` if there were none.');

export const AgentStats = z
  .object({
    agents: z
      .object({
        total: count,
        enabled: count.describe('Agents that may answer.'),
        used: count.describe('Agents with at least one turn in the period.'),
      })
      .describe('The number of agents, and how many of them are enabled and used.'),
    days: z
      .array(z.object({ day: z.iso.date(), answered: count, apologized: count }))
      .describe('One entry for each day in UTC, oldest first, without gaps.'),
    latencyMs: Latency,
    providers: z
      .array(
        z.object({
          provider: Provider,
          answered: count,
          apologized: count,
          inputTokens: count,
          outputTokens: count,
          toolCalls: count,
          latencyMs: Latency,
        }),
      )
      .describe('The same figures for each provider.'),
  })
  .meta({
    id: 'AgentStats',
    description: 'The activity of all agents of the tenant, by day and by provider.',
  });
export type AgentStats = z.input<typeof AgentStats>;

export const RefreshedRegistry = z
  .object({
    agents: count,
    enabled: count.describe('Agents that may answer.'),
    capabilities: count.describe('The number of capabilities.'),
    bots: count,
    missingAgents: count.describe(
      'The number of agents that bots refer to but that do not exist. Such agents never answer.',
    ),
    refreshedAt: moment.describe('When the agents were refreshed.'),
  })
  .meta({
    id: 'RefreshedRegistry',
    description: 'The number of agents, capabilities and bots found by the refresh.',
  });
export type RefreshedRegistry = z.input<typeof RefreshedRegistry>;
