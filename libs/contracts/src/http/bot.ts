import { z } from 'zod';
import { BotWords, defaultLanguageOfBots, LanguageTag } from './bot-words.ts';
import { id, moment, name } from './common.ts';

/**
 * A setting of a bot: its schema in bodies, its schema in responses, and its default. Responses have no bounds, because
 * a process of another release may have stored the value.
 */
function setting<Given extends z.ZodType, Shown extends z.ZodType>(of: {
  meaning: string;
  given: Given;
  shown: Shown;
  initial: z.output<Given>;
}) {
  const schema = of.given.describe(of.meaning);
  return {
    create: z._default(schema, of.initial as Parameters<typeof schema.default>[0]),
    update: schema.optional(),
    shown: of.shown.describe(of.meaning),
  };
}

const whole = z.int();
/** One week, after which an answer is no longer useful. */
const maxMinutes = 10_080;

/** The settings of a bot. The request bodies and the response are derived from this list. */
const settings = {
  name: { create: name, update: name.optional(), shown: z.string() },
  agentIds: setting({
    meaning: 'The agents that may answer, at most 50. The first one is the default.',
    given: z
      .array(id)
      .max(50)
      .refine((ids) => new Set(ids).size === ids.length, 'must not name an agent twice'),
    shown: z.array(id),
    initial: [],
  }),
  enabled: setting({
    meaning: 'Whether the bot is in use. A disabled bot keeps its settings.',
    given: z.boolean(),
    shown: z.boolean(),
    initial: true,
  }),
  joinWindowMs: setting({
    meaning:
      'Messages of one chat that arrive within this time, in milliseconds, are answered together. 0 disables this.',
    given: whole.min(0).max(10_000),
    shown: whole,
    initial: 1200,
  }),
  answerDeadlineSeconds: setting({
    meaning:
      'Time in seconds within which a message must be answered. After that, the bot sends a short apology.',
    given: whole.min(10).max(130),
    shown: whole,
    initial: 60,
  }),
  delayNoticeSeconds: setting({
    meaning:
      'Time in seconds after which the bot sends one notice that the answer takes longer than usual. 0 disables this.',
    given: whole.min(0).max(120),
    shown: whole,
    initial: 20,
  }),
  answerWithinMinutes: setting({
    meaning:
      'Time in minutes after a question during which sending its answer is retried when the platform fails. ' +
      'After that, the reply is marked as failed, with the reason.',
    given: whole.min(1).max(maxMinutes),
    shown: whole,
    initial: 60,
  }),
  handbackAfterMinutes: setting({
    meaning:
      'A chat that a person has taken over is handed back to the bot when the person has written nothing for ' +
      'this time, in minutes.',
    given: whole.min(1).max(maxMinutes),
    shown: whole,
    initial: 60,
  }),
  asksForRating: setting({
    meaning:
      'Whether the bot asks, 10 minutes after the last answer in a private chat, if the answer helped. A person is ' +
      'asked at most once a week. The texts `rating_question`, `rating_yes` and `rating_no` are what it asks. ' +
      'Nobody is asked by email.',
    given: z.boolean(),
    shown: z.boolean(),
    initial: false,
  }),
  defaultLanguage: setting({
    meaning:
      "The language (a BCP 47 tag) that the bot uses if the person's language is unknown or has no texts.",
    given: LanguageTag,
    shown: z.string(),
    initial: defaultLanguageOfBots,
  }),
  words: {
    create: BotWords.default({}),
    update: BotWords.optional(),
    shown: z
      .record(z.string(), z.record(z.string(), z.string()))
      .describe("The bot's own texts, which replace the default texts, by language and key."),
  },
};

type Use = 'create' | 'update' | 'shown';
type Fields<For extends Use> = { [Name in keyof typeof settings]: (typeof settings)[Name][For] };

const fieldsTo = <For extends Use>(use: For): Fields<For> =>
  Object.fromEntries(Object.entries(settings).map(([field, of]) => [field, of[use]])) as Fields<For>;

export const CreateBotBody = z.object(fieldsTo('create'));
export type CreateBotBody = z.output<typeof CreateBotBody>;

/** PUT updates only the fields in its body (REQ-HTTP-3). */
export const UpdateBotBody = z.object(fieldsTo('update'));
export type UpdateBotBody = z.output<typeof UpdateBotBody>;

export const Bot = z
  .object({ botId: id, tenantId: id, ...fieldsTo('shown'), createdAt: moment, updatedAt: moment })
  .meta({ id: 'Bot', description: 'A bot of a tenant, with its agents and settings.' });
export type Bot = z.input<typeof Bot>;

/** The settings of a bot that was created with nothing but a name. */
export const initialSettings = CreateBotBody.omit({ name: true }).parse({});
