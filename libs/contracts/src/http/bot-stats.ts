import { z } from 'zod';

const isPlausible = (day: string): boolean => day >= '2000-01-01' && day <= '2999-12-31';
const day = z.iso.date().refine(isPlausible, 'must be a day from 2000-01-01 to 2999-12-31');
const count = z.int();

/** Days from 0:00 to 24:00 in UTC. Both days are included. */
export const BotStatsQuery = z.object({
  from: day.optional().describe('The first day, in UTC. Defaults to 29 days before the last day.'),
  to: day.optional().describe('The last day, in UTC. Defaults to today.'),
});

/** Counts of a bot's chats, from the agents service. */
export const ChatFigures = z.object({
  messagesIn: count.describe('Messages that people sent to the bot, counted on the day they arrived.'),
  messagesOut: count.describe(
    'Replies of the bot, counted on the day they were stored. Replies that the platform refused are not counted.',
  ),
  chats: count.describe('The number of distinct chats with messages.'),
  people: count.describe('The number of distinct people who wrote.'),
  latencyMs: z
    .object({ p50: count, p95: count })
    .nullable()
    .describe(
      'Time in milliseconds from the arrival of the last message that a reply answers until the reply is ' +
        'stored, before it is sent. This includes waiting for further messages of a burst. Covers answers and ' +
        'apologies, but not replies to commands; `null` if there were none.',
    ),
});
export type ChatFigures = z.output<typeof ChatFigures>;

/** Token counts, from the usage service. */
export const TokenFigures = z.object({
  inputTokens: count.describe(
    "Input tokens on the tenant's and the platform's keys together, counted on the day the turn ended.",
  ),
  outputTokens: count,
});

const figures = { ...ChatFigures.shape, ...TokenFigures.shape };

export const BotStats = z
  .object({
    botId: z.uuid(),
    from: z.iso.date().describe('The first day, in UTC.'),
    to: z.iso.date().describe('The last day, in UTC, inclusive.'),
    totals: z
      .object(figures)
      .describe('Totals over all days. A chat or person that was active on several days counts once.'),
    days: z
      .array(z.object({ day: z.iso.date(), ...figures }))
      .describe('One entry for each day, oldest first.'),
  })
  .meta({ id: 'BotStats', description: 'The activity of a bot, in total and per day.' });
export type BotStats = z.input<typeof BotStats>;
