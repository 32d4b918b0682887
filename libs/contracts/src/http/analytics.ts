import { z } from 'zod';
import { id } from './common.ts';
import { admin, defineRouter } from './contract.ts';
import { maxLabelCharacters } from './interactions-inbox.ts';
import { Chat } from './interactions-shapes.ts';
import { type SessionOutcome, sessionOutcomeNames } from './session-outcomes.ts';

const count = z.int();

export const maxAnalyticsDays = 400;
export const usualAnalyticsDays = 30;
/** Reasons and questions that are listed. */
export const maxListed = 20;
/** Characters of a listed question. */
export const maxQuestionCharacters = 200;

const isPlausible = (day: string): boolean => day >= '2000-01-01' && day <= '2099-12-31';
const day = z.iso.date().refine(isPlausible, 'must be a day from 2000-01-01 to 2099-12-31');

export const ChatAnalyticsQuery = z.object({
  from: day
    .optional()
    .describe(`The first day, in UTC. Defaults to ${usualAnalyticsDays - 1} days before the last day.`),
  to: day.optional().describe('The last day, in UTC, inclusive. Defaults to today.'),
  botId: id.optional().describe('Only chats of this bot.'),
  agentId: id.optional().describe('Only chats in which this agent answered in the period.'),
  platform: Chat.shape.platform.optional().describe('Only chats on this platform.'),
  label: z
    .string()
    .trim()
    .min(1)
    .max(maxLabelCharacters)
    .optional()
    .describe('Only chats that have the label of this name now.'),
});
export type ChatAnalyticsQuery = z.output<typeof ChatAnalyticsQuery>;

/** Counts of a period or of a day in it. */
export const TalkFigures = z.object({
  chats: count.describe('Chats in which people wrote.'),
  messagesIn: count.describe('Messages of people, by the time of their arrival.'),
  replies: count.describe("The bots' replies, except those that could not be sent."),
  staffReplies: count.describe('Messages of staff.'),
});
export type TalkFigures = z.output<typeof TalkFigures>;

export const ChatAnalytics = z
  .object({
    from: z.iso.date().describe('The first day, in UTC.'),
    to: z.iso.date().describe('The last day, in UTC, inclusive.'),
    ...TalkFigures.shape,
    newChats: count.describe('The chats among `chats` that began in the period.'),
    resolvedWithoutPerson: count.describe(
      'Chats with a session of the period that has the outcome `resolved`, and in which no member of staff wrote in ' +
        'the period. Sessions are resolved after a day.',
    ),
    takenOver: count.describe('Chats in which an agent asked for a person, or a member of staff wrote.'),
    takeovers: z
      .array(z.object({ reason: z.string().describe("The agent's reason."), chats: count }))
      .describe(`The most frequent reasons for which agents asked for a person, at most ${maxListed}.`),
    firstResponse: z
      .object({
        medianMs: count.describe('The median, in milliseconds.'),
        p90Ms: count.describe('The 90th percentile, in milliseconds.'),
        responses: count.describe('The number of first responses.'),
      })
      .nullable()
      .describe(
        'The time from a message to the first reply after it, by an agent or staff. Counts the first message of ' +
          'each chat in the period, and each message after 24 hours of silence. `null` if there was no reply.',
      ),
    costMicroUsd: count
      .nullable()
      .describe(
        'Cost of the chats, without trials, in millionths of a US dollar: with `agentId` that of this agent alone. ' +
          '`null` if the usage service does not respond.',
      ),
    days: z
      .array(z.object({ day: z.iso.date(), ...TalkFigures.shape }))
      .describe('One entry for each day, oldest first, without gaps.'),
    hours: z
      .array(
        z.object({
          weekday: count.describe('1 is Monday.'),
          hour: count.describe('From 0 to 23.'),
          messagesIn: count,
        }),
      )
      .describe('Messages of people by weekday and hour, in UTC. Hours without messages are omitted.'),
    unanswered: z
      .array(
        z.object({
          text: z.string(),
          times: count.describe('The number of messages.'),
          chatId: id.describe('One of their chats.'),
        }),
      )
      .describe(
        `The questions most often without an answer, at most ${maxListed}: the bot apologized, an agent asked for a ` +
          `person, or processing was abandoned. Texts that differ only in case count as one; the first ` +
          `${maxQuestionCharacters} characters are compared and shown.`,
      ),
  })
  .meta({ id: 'ChatAnalytics', description: 'How the chats of a period went.' });
export type ChatAnalytics = z.input<typeof ChatAnalytics>;

/** Groups that are listed. */
export const maxOutcomeGroups = 500;

export const OutcomeAnalyticsQuery = ChatAnalyticsQuery.extend({
  agentId: id.optional().describe('Only sessions in which this agent answered.'),
  version: z.coerce
    .number()
    .int()
    .positive()
    .max(2 ** 31 - 1)
    .optional()
    .describe('Only sessions that this version of the agent answered.'),
  by: z
    .enum(['agent', 'version', 'bot', 'channel', 'week'])
    .default('week')
    .describe('What the sessions are grouped by.'),
});
export type OutcomeAnalyticsQuery = z.output<typeof OutcomeAnalyticsQuery>;

const countsOfOutcomes = Object.fromEntries(
  sessionOutcomeNames.map((outcome) => [outcome, count.describe(`Sessions that are \`${outcome}\`.`)]),
) as Record<SessionOutcome, typeof count>;

/** Counts of sessions. */
const SessionFigures = z.object({
  sessions: count.describe('Sessions, by the time of the first answer of the agent.'),
  undecided: count.describe('Those that are younger than a day, so that not every outcome is decided.'),
  outcomes: z
    .object(countsOfOutcomes)
    .describe('The number of sessions with each outcome. A session can have several.'),
  costMicroUsd: count
    .nullable()
    .describe('Their cost, in millionths of a US dollar. `null` if nothing that they used has a price.'),
  durationMs: count.describe('The time that their answers took in total, in milliseconds.'),
});

export const OutcomeAnalytics = z
  .object({
    from: z.iso.date().describe('The first day, in UTC.'),
    to: z.iso.date().describe('The last day, in UTC, inclusive.'),
    ...SessionFigures.shape,
    groups: z
      .array(
        SessionFigures.extend({
          agentId: id.optional().describe('With `by=agent` and `by=version`.'),
          agentVersion: count.nullish().describe('With `by=version`. `null` if the answers have none.'),
          botId: id.optional().describe('With `by=bot`.'),
          platform: Chat.shape.platform.optional().describe('With `by=channel`.'),
          week: z.iso.date().optional().describe('With `by=week`: the Monday of the week, in UTC.'),
          name: z
            .string()
            .nullable()
            .describe("The agent's or bot's name. `null` for other groups, and for what was deleted."),
        }),
      )
      .describe(`Weeks in their order, other groups with most sessions first; at most ${maxOutcomeGroups}.`),
  })
  .meta({ id: 'OutcomeAnalytics', description: 'Outcomes of the sessions of a period.' });
export type OutcomeAnalytics = z.input<typeof OutcomeAnalytics>;

export const analyticsRouter = defineRouter({
  basePath: '/api/analytics',
  service: 'agents',
  description: "Figures of a period about the chats of the active tenant's bots.",
  routes: {
    getChatAnalytics: admin.get('/chats', {
      summary: 'Get volume, outcomes, response times and cost of the chats of a period.',
      description:
        `The period may cover at most ${maxAnalyticsDays} days. Automatic messages and group messages that were not ` +
        'addressed to the bot are not counted. Messages that were moved to the archive are not counted either. The ' +
        'filters can be combined.',
      query: ChatAnalyticsQuery,
      response: ChatAnalytics,
    }),
    getOutcomeAnalytics: admin.get('/outcomes', {
      summary: 'Count the outcomes of the sessions of a period, by agent, version, bot, channel or week.',
      description:
        'A session begins with the first message after `/new` or after 24 hours of silence. It is counted an hour after ' +
        'the first answer of an agent, once for each agent that answers in it. The period and the filters are those of ' +
        '`/api/analytics/chats`.',
      query: OutcomeAnalyticsQuery,
      response: OutcomeAnalytics,
    }),
  },
});
