import { z } from 'zod';

const isPlausible = (day: string): boolean => day >= '2000-01-01' && day <= '2999-12-31';
const day = z.iso.date().refine(isPlausible, 'must be a day from 2000-01-01 to 2999-12-31');
const count = z.number().int();

/** Days from 0:00 to 24:00 in UTC, both included. */
export const BotStatsQuery = z.object({
  from: day.optional().describe('The first day, in UTC; by default 29 days before the last.'),
  to: day.optional().describe('The last day, in UTC; by default today.'),
});

/** Figures of a bot's chats from the agents service. */
export const ChatFigures = z.object({
  messagesIn: count.describe('Messages that people sent to the bot, on the day they arrived.'),
  messagesOut: count.describe(
    'Replies, on the day they were stored; without those that the platform refused.',
  ),
  chats: count.describe('Different chats in which something was said.'),
  people: count.describe('Different people who wrote.'),
  latencyMs: z
    .object({ p50: count, p95: count })
    .nullable()
    .describe(
      'From the arrival of the last message that a reply answers until the reply is stored, before it is sent: waiting for ' +
        'further messages of a burst is part of it. Answers and apologies, no commands; `null` when there were none.',
    ),
});
export type ChatFigures = z.output<typeof ChatFigures>;

/** Figures from the usage service. */
export const TokenFigures = z.object({
  inputTokens: count.describe("On the tenant's and the platform's keys together, on the day the turn ended."),
  outputTokens: count,
});

const figures = { ...ChatFigures.shape, ...TokenFigures.shape };

export const BotStats = z
  .object({
    botId: z.uuid(),
    from: z.iso.date().describe('The first day, in UTC.'),
    to: z.iso.date().describe('The last day, in UTC, itself included.'),
    totals: z.object(figures).describe('Over all days: a chat or a person of several days counts once.'),
    days: z.array(z.object({ day: z.iso.date(), ...figures })).describe('Every day, the first one first.'),
  })
  .meta({ id: 'BotStats', description: 'What a bot did, over all days and per day.' });
export type BotStats = z.input<typeof BotStats>;
