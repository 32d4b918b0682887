import { z } from 'zod';
import { id } from './common.ts';
import { defineRouter, route } from './contract.ts';
import { maxLabelCharacters } from './interactions-inbox.ts';
import { Chat } from './interactions-shapes.ts';

const count = z.number().int();

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
      'Chats whose state is `resolved` now, and in which no member of staff wrote in the period.',
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

export const analyticsRouter = defineRouter({
  basePath: '/api/analytics',
  service: 'agents',
  description: "Figures of a period about the chats of the active tenant's bots.",
  routes: {
    getChatAnalytics: route({
      method: 'get',
      path: '/chats',
      access: 'admin',
      summary: 'Get volume, outcomes, response times and cost of the chats of a period.',
      description:
        `The period may cover at most ${maxAnalyticsDays} days. Automatic messages and group messages that were not ` +
        'addressed to the bot are not counted. Messages that were moved to the archive are not counted either. The ' +
        'filters can be combined.',
      query: ChatAnalyticsQuery,
      response: ChatAnalytics,
    }),
  },
});
