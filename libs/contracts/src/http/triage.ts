import { z } from 'zod';
import { id } from './common.ts';

export const TriageCandidate = z.object({
  agentId: id,
  score: z.number(),
  reasons: z.array(z.string()).describe('Why it fits, in words for people.'),
});
export type TriageCandidate = z.output<typeof TriageCandidate>;

/** The deciding rule, in order of precedence. */
export const TriageRule = z
  .enum(['explicit', 'assignment', 'route', 'sticky', 'match', 'tie-model', 'app-default', 'default'])
  .describe(
    '`explicit`: the message names the agent; `assignment`: `/api/bot-assignment`; `route`: a route of an app that is bound ' +
      'there; `sticky`: the agent of the conversation stays; `match`: its words fit best; `tie-model`: a model chose among ' +
      "equals; `app-default`: the default of an app; `default`: the bot's first agent.",
  );
export type TriageRule = z.output<typeof TriageRule>;

/** The chosen agent and the reason: the same record for routed and previewed messages. */
export const TriageRecord = z
  .object({
    agentId: id.nullable().describe('The agent that was chosen; `null` when none can answer.'),
    candidates: z.array(TriageCandidate).describe('Best first.'),
    rule: TriageRule.optional(),
    fallback: id.nullish().describe("The bot's default: who answers when nothing speaks for anybody."),
    assignmentId: id.optional().describe('The assignment that counted.'),
    app: z
      .object({ appId: id, version: z.number().int(), route: z.string().describe('The name of the route.') })
      .optional()
      .describe('The route that counted, with the app and the version of it that ran.'),
    tied: z
      .array(id)
      .optional()
      .describe('Agents that fit equally well: a model is asked, where one is configured for it.'),
    excluded: z
      .array(z.object({ agentId: id, reasons: z.array(z.string()) }))
      .optional()
      .describe('Agents of the bot that can answer nobody.'),
  })
  .meta({
    id: 'TriageRecord',
    description: 'Which agent answers, and why: the same record whether a message is routed or previewed.',
  });
export type TriageRecord = z.output<typeof TriageRecord>;
