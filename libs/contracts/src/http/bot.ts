import { z } from 'zod';
import { BotWords, defaultLanguageOfBots, LanguageTag } from './bot-words.ts';
import { id, moment, name } from './common.ts';

/** Defaults for bots without settings of their own. */
export const defaultAnswerDeadlineSeconds = 60;
export const defaultDelayNoticeSeconds = 20;
export const defaultHandbackAfterMinutes = 60;

export const Bot = z
  .object({
    botId: id,
    tenantId: id,
    name: z.string(),
    agentIds: z.array(id).describe('Agents that may answer, the first is the default.'),
    enabled: z.boolean(),
    joinWindowMs: z
      .number()
      .int()
      .describe('Messages of one chat within this time are answered together; 0 turns it off.'),
    answerDeadlineSeconds: z
      .number()
      .int()
      .describe('A message that is not answered within this time gets a short apology.'),
    delayNoticeSeconds: z
      .number()
      .int()
      .describe(
        'After this time the chat is told once that an answer takes longer than usual; 0 turns it off.',
      ),
    answerWithinMinutes: z
      .number()
      .int()
      .describe(
        'For how long after a question its answer is tried to be sent when the platform fails; then it is given up, with its reason.',
      ),
    handbackAfterMinutes: z
      .number()
      .int()
      .describe(
        'A chat that a person has taken over goes back to the bot when the person has written nothing for this time.',
      ),
    defaultLanguage: z
      .string()
      .describe("A BCP 47 tag: what the bot speaks where the person's language is not known or not spoken."),
    words: z
      .record(z.string(), z.record(z.string(), z.string()))
      .describe('Texts of its own in place of those that every bot says, by language and key.'),
    createdAt: moment,
    updatedAt: moment,
  })
  .meta({ id: 'Bot', description: 'A bot of a tenant: who answers in its chats, and how patiently.' });
export type Bot = z.input<typeof Bot>;

const defaultLanguageMeaning =
  "What the bot speaks to people whose language isn't known, or not spoken: a language tag (BCP 47).";
const joinWindowMs = z.number().int().min(0).max(10_000);
const answerDeadlineSeconds = z.number().int().min(10).max(130);
const delayNoticeSeconds = z.number().int().min(0).max(120);
/** One week at most; no answer is useful after that. */
const answerWithinMinutes = z.number().int().min(1).max(10_080);
const handbackAfterMinutes = z.number().int().min(1).max(10_080);
const agentIds = z
  .array(id)
  .max(50)
  .refine((ids) => new Set(ids).size === ids.length, 'must not name an agent twice');

export const CreateBotBody = z.object({
  name,
  agentIds: agentIds.default([]),
  enabled: z.boolean().default(true),
  joinWindowMs: joinWindowMs.default(1200),
  answerDeadlineSeconds: answerDeadlineSeconds.default(defaultAnswerDeadlineSeconds),
  delayNoticeSeconds: delayNoticeSeconds.default(defaultDelayNoticeSeconds),
  answerWithinMinutes: answerWithinMinutes.default(60),
  handbackAfterMinutes: handbackAfterMinutes.default(defaultHandbackAfterMinutes),
  defaultLanguage: LanguageTag.default(defaultLanguageOfBots).describe(defaultLanguageMeaning),
  words: BotWords.default({}),
});
export type CreateBotBody = z.output<typeof CreateBotBody>;

/** PUT changes the fields that it carries (REQ-HTTP-3). */
export const UpdateBotBody = z.object({
  name: name.optional(),
  agentIds: agentIds.optional(),
  enabled: z.boolean().optional(),
  joinWindowMs: joinWindowMs.optional(),
  answerDeadlineSeconds: answerDeadlineSeconds.optional(),
  delayNoticeSeconds: delayNoticeSeconds.optional(),
  answerWithinMinutes: answerWithinMinutes.optional(),
  handbackAfterMinutes: handbackAfterMinutes.optional(),
  defaultLanguage: LanguageTag.optional().describe(defaultLanguageMeaning),
  words: BotWords.optional(),
});
export type UpdateBotBody = z.output<typeof UpdateBotBody>;
