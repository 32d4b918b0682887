import { z } from 'zod';
import { Choice, choiceLimits } from '../choices.ts';

interface Spoken {
  when: string;
  /** Placeholders that the text may contain, as `{name}`. Absent: none. */
  placeholders?: readonly string[];
  isChoice?: true;
}

/** The texts that a bot sends without a model, by key. */
export const botWordKeys = {
  greeting: { when: 'Sent in reply to /start.', placeholders: ['bot'] },
  help: { when: 'Sent in reply to /help and to unknown commands.' },
  new_conversation: { when: 'Sent in reply to /new.' },
  goodbye: { when: 'Sent in reply to /stop.' },
  account_link: {
    when: 'Added to an answer when a person has to connect an account of their own.',
    placeholders: ['server', 'url'],
  },
  account_connected: { when: 'Sent when a person has connected their account.', placeholders: ['server'] },
  account_code_wrong: { when: 'Sent in reply to /connect with a code that is not valid.' },
  accounts_disconnected: { when: 'Sent in reply to /disconnect.' },
  delay: { when: 'Sent when an answer takes longer than usual.' },
  handover: { when: 'Sent when an agent has requested that a person take over the chat.' },
  timeout: { when: 'Sent when an answer is not ready by its deadline.' },
  unavailable: { when: 'Sent when the model does not respond.' },
  busy: { when: 'Sent when everything that could answer has temporarily reached its limit.' },
  key_refused: { when: 'Sent when the model provider refuses the key.' },
  model_refused: { when: 'Sent when the model provider refuses the model.' },
  refused: { when: 'Sent when the model provider refuses the message.' },
  too_long: { when: 'Sent when the message is too long for the model.' },
  request_refused: {
    when: 'Sent when the model provider refuses something other than the message, such as a setting.',
  },
  'answer.cut': { when: 'Added to an answer that reached its longest length.' },
  'answer.filtered': {
    when: "Added to an answer that the model provider's filter ended, or sent in its place.",
  },
  no_words: { when: 'Sent when the model returns no usable answer.' },
  no_key: { when: 'Sent when there is no key for the model.' },
  no_agent: { when: 'Sent when the bot has no agent.' },
  agent_disabled: { when: 'Sent when every agent that could answer is disabled.' },
  quota_exhausted: { when: 'Sent when the quota is used up, at most once an hour.' },
  allowance_used_up: {
    when: "Sent when the monthly allowance on the platform's keys is used up, at most once an hour.",
  },
  not_granted: { when: 'Sent when the person may not write to the bot in private, at most once an hour.' },
  unsupported: { when: 'Sent when only unsupported content of several kinds arrived.' },
  unsupported_voice: { when: 'Sent when only a voice message arrived.' },
  unsupported_audio: { when: 'Sent when only an audio file arrived.' },
  unsupported_photo: { when: 'Sent when only a photo arrived.' },
  unsupported_video: { when: 'Sent when only a video arrived.' },
  unsupported_video_note: { when: 'Sent when only a video message arrived.' },
  unsupported_animation: { when: 'Sent when only an animation arrived.' },
  unsupported_sticker: { when: 'Sent when only a sticker arrived.' },
  unsupported_document: { when: 'Sent when only a file arrived.' },
  unsupported_location: { when: 'Sent when only a location arrived.' },
  unsupported_contact: { when: 'Sent when only a contact arrived.' },
  unsupported_poll: { when: 'Sent when only a poll arrived.' },
  unsupported_checklist: { when: 'Sent when only a checklist arrived.' },
  unsupported_game: { when: 'Sent when only a game arrived.' },
  unsupported_story: { when: 'Sent when only a story arrived.' },
  file_too_large: { when: 'Sent when only a file arrived and it is larger than 20 MB.' },
  file_unavailable: {
    when: 'Sent when only a file arrived and it could not be downloaded from the platform.',
  },
  file_no_room: { when: "Sent when only a file arrived and the tenant's storage for files is full." },
  file_expired: { when: 'Sent when only a file arrived and it is no longer stored.' },
  recording_unclear: { when: 'Sent when only a recording arrived and no speech was recognized in it.' },
  unsupported_file_type: { when: 'Sent when only a file of an unsupported type arrived.' },
  agents_list: { when: 'Heading of the list of agents in the reply to /agent.' },
  agents_more: {
    when: 'Last line of a list of agents that is too long to send in full.',
    placeholders: ['count'],
  },
  agent_chosen: { when: 'Sent when the person has chosen an agent.', placeholders: ['agent'] },
  approval_waiting: { when: 'Sent when tool calls are waiting for approval.', placeholders: ['tools'] },
  approval_rejected: { when: 'Sent when a tool call was rejected.', placeholders: ['tool'] },
  approval_rejected_note: {
    when: 'Sent when a tool call was rejected with a note.',
    placeholders: ['tool', 'note'],
  },
  approval_expired: {
    when: 'Sent when the approval of a tool call expired without a decision.',
    placeholders: ['tool'],
  },
  approval_refused: {
    when: 'Sent when a tool call was approved but is no longer allowed.',
    placeholders: ['tool'],
  },
  approval_refused_detail: {
    when: 'Sent when a tool call was approved but is no longer allowed, with the reason.',
    placeholders: ['tool', 'detail'],
  },
  approval_uncertain: {
    when: 'Sent when it is unknown whether an approved tool call was made.',
    placeholders: ['tool'],
  },
  approval_failed: { when: 'Sent when an approved tool call failed.', placeholders: ['tool'] },
  approval_executed: { when: 'Sent when an approved tool call was made.', placeholders: ['tool'] },
  rating_question: { when: 'Sent 10 minutes after the last answer, if the bot asks for ratings.' },
  rating_yes: { when: 'The choice of a person whom the answer helped.', isChoice: true },
  rating_no: { when: 'The choice of a person whom the answer did not help.', isChoice: true },
} as const satisfies Record<string, Spoken>;

export type BotWordKey = keyof typeof botWordKeys;
const keys = Object.keys(botWordKeys) as BotWordKey[];

/** Placeholders that the text of a key may contain. */
export const placeholdersOf = (key: BotWordKey): readonly string[] =>
  (botWordKeys[key] as Spoken).placeholders ?? [];

/** Languages with a complete set of default texts. In other languages, a bot has only its own texts. */
export const spokenLanguages = [
  'en',
  'de',
  'fr',
  'es',
  'pt',
  'it',
  'ru',
  'uk',
  'tr',
  'ar',
  'ja',
  'zh',
] as const;
export type SpokenLanguage = (typeof spokenLanguages)[number];

export const defaultLanguageOfBots: SpokenLanguage = 'en';

const maxUnitsOfLanguage = 35;
const tag = /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$/;

/** Whether a text is an accepted BCP 47 tag: at most 35 characters and four parts. */
export const isLanguageTag = (text: string): boolean => text.length <= maxUnitsOfLanguage && tag.test(text);

/** The BCP 47 form, such as `pt-BR`; `undefined` if the text is not a valid tag. */
export function canonicalLanguage(text: string): string | undefined {
  if (!isLanguageTag(text)) return undefined;
  try {
    return Intl.getCanonicalLocales(text)[0];
  } catch {
    return undefined;
  }
}

export const LanguageTag = z
  .string()
  .max(maxUnitsOfLanguage, { abort: true })
  .regex(tag, 'must be a language tag, such as "pt-BR"')
  .refine((text) => !isLanguageTag(text) || canonicalLanguage(text) === text, {
    error: ({ input }) => {
      const right = canonicalLanguage(String(input));
      return right === undefined ? 'must be a language tag, such as "pt-BR"' : `must be written "${right}"`;
    },
  })
  .meta({ examples: ['pt-BR'] });

const maxUnitsOfWord = 1000;
const maxLanguagesOfWords = 30;
const maxUnitsOfWords = 20_000;

const placeholder = /\{([^{}]*)\}/g;
/** Control characters and lone surrogates, which a line or the database cannot hold. */
const notShown = /[^\P{Cc}\n]|\p{Cs}/u;

/** Plain text; braces may enclose only the key's placeholders. */
function textOf(key: BotWordKey) {
  const { isChoice }: Spoken = botWordKeys[key];
  const placeholders = placeholdersOf(key);
  const named = placeholders.map((name) => `{${name}}`).join(' and ');
  return z
    .string()
    .trim()
    .min(1)
    .max(maxUnitsOfWord)
    .refine((text) => !notShown.test(text), 'must be text without control characters')
    .refine(
      (text) => !isChoice || Choice.safeParse(text).success,
      `must be one line of at most ${choiceLimits.textUnits} characters`,
    )
    .refine(
      (text) => {
        const rest = text.replace(placeholder, (whole, name: string) =>
          placeholders.includes(name) ? '' : whole,
        );
        return !/[{}]/.test(rest);
      },
      placeholders.length > 0 ? `must have nothing in braces but ${named}` : 'must have nothing in braces',
    )
    .meta({ description: botWordKeys[key].when + (named ? ` May contain ${named}.` : '') });
}

const texts = Object.fromEntries(keys.map((key) => [key, textOf(key).optional()])) as {
  [Key in BotWordKey]: z.ZodOptional<z.ZodString>;
};

const WordsOfLanguage = z
  .strictObject(texts)
  .refine(
    ({ rating_yes, rating_no }) => !rating_yes || rating_yes !== rating_no,
    'must have two different choices',
  )
  .meta({
    id: 'WordsOfLanguage',
    description: "A bot's own texts in one language. For omitted keys, the default text is used.",
  });
type WordsOfLanguage = z.output<typeof WordsOfLanguage>;

const unitsOf = (words: Record<string, WordsOfLanguage>): number =>
  Object.values(words).reduce(
    (sum, own) => sum + Object.values(own).reduce((units, text = '') => units + text.length, 0),
    0,
  );

export const BotWords = z
  .record(LanguageTag, WordsOfLanguage)
  .refine(
    (words) => Object.keys(words).length <= maxLanguagesOfWords,
    `must have at most ${maxLanguagesOfWords} languages`,
  )
  .refine(
    (words) => unitsOf(words) <= maxUnitsOfWords,
    `must have at most ${maxUnitsOfWords} characters in all`,
  )
  .meta({
    description:
      "The bot's own texts, which replace the default texts, by language and key. `GET …/words` lists the keys. " +
      'Each is plain text that may contain the placeholders of its key in braces. An update replaces all of ' +
      'them.',
    examples: [{ de: { greeting: 'Moin! Hier ist {bot}.' } }],
  });
export type BotWords = z.output<typeof BotWords>;

export const BotSpeech = z
  .object({
    defaultLanguage: z
      .string()
      .describe('The language (a BCP 47 tag) for people whose language is unknown or has no texts.'),
    languages: z.array(z.string()).describe('The languages with a complete set of default texts.'),
    keys: z
      .array(
        z.object({
          key: z.string().describe('The key of the text in `words`.'),
          when: z.string().describe('When the bot sends the text.'),
          placeholders: z
            .array(z.string())
            .describe('The placeholders that the text may contain, as `{name}`.'),
        }),
      )
      .describe('All texts that a bot sends without a model.'),
    words: z
      .array(
        z.object({
          language: z.string().describe('The language, as a BCP 47 tag.'),
          texts: z
            .record(
              z.string(),
              z.object({
                text: z.string().describe('The text that the bot sends, with its placeholders.'),
                default: z
                  .string()
                  .describe('The default text, which is used by bots without a text of their own.'),
                isOwn: z.boolean().describe('Whether the bot has its own text for exactly this language.'),
              }),
            )
            .describe('The texts, by key.'),
        }),
      )
      .describe('The texts in each language that has default texts or texts of the bot.'),
  })
  .meta({
    id: 'BotSpeech',
    description: 'The texts that a bot sends without a model, with the defaults for all bots.',
  });
export type BotSpeech = z.input<typeof BotSpeech>;
