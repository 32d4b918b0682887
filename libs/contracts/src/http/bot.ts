import { z } from 'zod';
import { BotWords, defaultLanguageOfBots, LanguageTag } from './bot-words.ts';
import { id, moment, name } from './common.ts';

/**
 * A setting of a bot: what bodies may say, how it is shown, and what a bot has of which nothing is said. It is shown
 * without bounds, since a process of another release may have stored it.
 */
function setting<Given extends z.ZodType, Shown extends z.ZodType>(of: {
  meaning: string;
  given: Given;
  shown: Shown;
  initial: z.output<Given>;
}) {
  const given = of.given.describe(of.meaning);
  return {
    create: z._default(given, of.initial as Parameters<typeof given.default>[0]),
    update: given.optional(),
    shown: of.shown.describe(of.meaning),
  };
}

const whole = z.number().int();
/** One week; no answer is useful after that. */
const maxMinutes = 10_080;

/** The settings of a bot. Each stands here once: the bodies, and the bot as it is shown, follow. */
const settings = {
  name: { create: name, update: name.optional(), shown: z.string() },
  agentIds: setting({
    meaning: 'Agents that may answer, at most 50; the first is the default.',
    given: z
      .array(id)
      .max(50)
      .refine((ids) => new Set(ids).size === ids.length, 'must not name an agent twice'),
    shown: z.array(id),
    initial: [],
  }),
  enabled: setting({
    meaning: 'Whether it is in use. `false` keeps it and its settings.',
    given: z.boolean(),
    shown: z.boolean(),
    initial: true,
  }),
  joinWindowMs: setting({
    meaning: 'Messages of one chat within this time are answered together; 0 turns it off.',
    given: whole.min(0).max(10_000),
    shown: whole,
    initial: 1200,
  }),
  answerDeadlineSeconds: setting({
    meaning: 'A message that is not answered within this time gets a short apology.',
    given: whole.min(10).max(130),
    shown: whole,
    initial: 60,
  }),
  delayNoticeSeconds: setting({
    meaning: 'After this time the chat is told once that an answer takes longer than usual; 0 turns it off.',
    given: whole.min(0).max(120),
    shown: whole,
    initial: 20,
  }),
  answerWithinMinutes: setting({
    meaning:
      'For how long after a question its answer is tried to be sent when the platform fails; then it is given up, with its reason.',
    given: whole.min(1).max(maxMinutes),
    shown: whole,
    initial: 60,
  }),
  handbackAfterMinutes: setting({
    meaning:
      'A chat that a person has taken over goes back to the bot when the person has written nothing for this time.',
    given: whole.min(1).max(maxMinutes),
    shown: whole,
    initial: 60,
  }),
  defaultLanguage: setting({
    meaning: "A BCP 47 tag: what the bot speaks where the person's language is not known or not spoken.",
    given: LanguageTag,
    shown: z.string(),
    initial: defaultLanguageOfBots,
  }),
  words: {
    create: BotWords.default({}),
    update: BotWords.optional(),
    shown: z
      .record(z.string(), z.record(z.string(), z.string()))
      .describe('Texts of its own in place of those that every bot says, by language and key.'),
  },
};

type Use = 'create' | 'update' | 'shown';
type Fields<For extends Use> = { [Name in keyof typeof settings]: (typeof settings)[Name][For] };

const fieldsTo = <For extends Use>(use: For): Fields<For> =>
  Object.fromEntries(Object.entries(settings).map(([field, of]) => [field, of[use]])) as Fields<For>;

export const CreateBotBody = z.object(fieldsTo('create'));
export type CreateBotBody = z.output<typeof CreateBotBody>;

/** PUT changes the fields that it carries (REQ-HTTP-3). */
export const UpdateBotBody = z.object(fieldsTo('update'));
export type UpdateBotBody = z.output<typeof UpdateBotBody>;

export const Bot = z
  .object({ botId: id, tenantId: id, ...fieldsTo('shown'), createdAt: moment, updatedAt: moment })
  .meta({ id: 'Bot', description: 'A bot of a tenant: who answers in its chats, and how patiently.' });
export type Bot = z.input<typeof Bot>;

/** The settings of a bot of which nothing is said but its name. */
export const initialSettings = CreateBotBody.omit({ name: true }).parse({});
