import { z } from 'zod';
import { id } from './common.ts';

export const TriageCandidate = z.object({
  agentId: id,
  score: z.number(),
  reasons: z.array(z.string()).describe('Why the agent fits, in words for people.'),
});
export type TriageCandidate = z.output<typeof TriageCandidate>;

/** The deciding rule, in order of precedence. */
export const TriageRule = z
  .enum(['explicit', 'assignment', 'route', 'sticky', 'match', 'tie-model', 'app-default', 'default'])
  .describe(
    '`explicit`: the message names the agent. `assignment`: an assignment of `/api/bot-assignment`. `route`: a route of an app ' +
      'bound there. `sticky`: the conversation keeps its agent. `match`: the agent matches best. `tie-model`: a model chose ' +
      "among equal matches. `app-default`: the default of an app. `default`: the bot's first agent.",
  );
export type TriageRule = z.output<typeof TriageRule>;

/** The chosen agent and the reason: the same record for routed and previewed messages. */
export const TriageRecord = z
  .object({
    agentId: id.nullable().describe('The chosen agent. `null` if none can answer.'),
    candidates: z.array(TriageCandidate).describe('Best first.'),
    rule: TriageRule.optional(),
    fallback: id.nullish().describe("The bot's default agent, which answers if no agent matches."),
    assignmentId: id.optional().describe('The assignment that was applied.'),
    app: z
      .object({ appId: id, version: z.int(), route: z.string().describe('The name of the route.') })
      .optional()
      .describe('The route that was applied, with its app and the version of the app.'),
    tied: z
      .array(id)
      .optional()
      .describe('Agents that match equally well. A model chooses among them, if one is configured for this.'),
    excluded: z
      .array(z.object({ agentId: id, reasons: z.array(z.string()) }))
      .optional()
      .describe('Agents of the bot that cannot answer.'),
  })
  .meta({
    id: 'TriageRecord',
    description:
      'The agent that answers, and the reason. The record is the same for routed and previewed messages.',
  });
export type TriageRecord = z.output<typeof TriageRecord>;
