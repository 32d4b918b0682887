import { z } from 'zod';
import { id, moment } from './common.ts';
import { Provider } from './provider.ts';
import { ModelSettings } from './settings-of-model.ts';

const count = z.number().int();

const AgentUsage = z
  .object({
    answered: count.describe('Turns that ended with an answer.'),
    apologized: count.describe('Turns that ended with a sentence of ours instead of an answer.'),
    inputTokens: count,
    outputTokens: count,
    toolCalls: count,
    botIds: z.array(id).describe('Bots in which it answered.'),
    lastUsedAt: moment.nullable().describe('Its last turn, also one from before these days.'),
  })
  .meta({ id: 'AgentUsage', description: 'What an agent was used for in some days.' });

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
    version: count,
    enabled: z.boolean().describe('A disabled agent answers nobody.'),
    bots: z
      .array(z.object({ botId: id, name: z.string() }))
      .describe('Bots that it serves: as one of theirs, or by an assignment. 100 at most.'),
    usage: AgentUsage.describe('Of the last `days` UTC days.'),
    createdAt: moment,
    updatedAt: moment,
  })
  .meta({
    id: 'Agent',
    description: 'An agent as it runs, with the bots that it serves and what it was used for.',
  });
export type Agent = z.input<typeof Agent>;

export const AgentDetail = Agent.extend({ instructions: z.string(), modelSettings: ModelSettings }).meta({
  id: 'AgentDetail',
  description: 'An agent as it runs, with its instructions.',
});
export type AgentDetail = z.input<typeof AgentDetail>;

/** Milliseconds from the beginning of an answer to its end, of answered turns alone; `null` when there were none. */
const Latency = z
  .object({ p50: count, p95: count, p99: count })
  .nullable()
  .describe('How long answered turns took, in milliseconds; `null` when there were none.');

export const AgentStats = z
  .object({
    agents: z
      .object({
        total: count,
        enabled: count.describe('Those that may answer.'),
        used: count.describe('With a turn in these days.'),
      })
      .describe('How many agents there are, and how many of them are used.'),
    days: z
      .array(z.object({ day: z.iso.date(), answered: count, apologized: count }))
      .describe('UTC days, the oldest first, none left out.'),
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
      .describe('The same by provider.'),
  })
  .meta({ id: 'AgentStats', description: 'What all agents of the tenant did, per day and by provider.' });
export type AgentStats = z.input<typeof AgentStats>;

export const RefreshedRegistry = z
  .object({
    agents: count,
    enabled: count.describe('Agents that may answer.'),
    capabilities: count.describe('How many capabilities there are.'),
    bots: count,
    missingAgents: count.describe('Agents that bots refer to and that are not there: they answer nobody.'),
    refreshedAt: moment,
  })
  .meta({ id: 'RefreshedRegistry', description: 'What was found when the agents were read anew.' });
export type RefreshedRegistry = z.input<typeof RefreshedRegistry>;
