import { z } from 'zod';

interface Spoken {
  when: string;
  /** Placeholders that the text may contain, as `{name}`. */
  placeholders: readonly string[];
}

/** The bot's texts that need no model, by key. */
export const botWordKeys = {
  greeting: { when: 'Answers /start.', placeholders: ['bot'] },
  help: { when: 'Answers /help, and commands that nobody knows.', placeholders: [] },
  new_conversation: { when: 'Answers /new.', placeholders: [] },
  goodbye: { when: 'Answers /stop.', placeholders: [] },
  delay: { when: 'An answer takes longer than usual.', placeholders: [] },
  handover: { when: 'An agent has asked for a person, who takes the chat over.', placeholders: [] },
  timeout: { when: 'An answer was not ready within its deadline.', placeholders: [] },
  unavailable: { when: 'The model does not answer.', placeholders: [] },
  busy: { when: 'Everything that could answer is at its limit for a moment.', placeholders: [] },
  key_refused: { when: 'The model provider refuses the key.', placeholders: [] },
  model_refused: { when: 'The model provider refuses the model.', placeholders: [] },
  refused: { when: 'The model provider refuses the message.', placeholders: [] },
  no_words: { when: 'The model answered nothing that can be read.', placeholders: [] },
  no_key: { when: 'There is no key for the model.', placeholders: [] },
  no_agent: { when: 'The bot has no agent.', placeholders: [] },
  agent_disabled: { when: 'Every agent that could answer is switched off.', placeholders: [] },
  quota_exhausted: { when: 'The quota is used up; at most once an hour.', placeholders: [] },
  allowance_used_up: {
    when: "The month's allowance on the platform's keys is used up; at most once an hour.",
    placeholders: [],
  },
  not_granted: {
    when: 'The person may not write to the bot in private; at most once an hour.',
    placeholders: [],
  },
  unsupported: { when: 'Only things that cannot be read came, of several kinds.', placeholders: [] },
  unsupported_voice: { when: 'Only a voice message came.', placeholders: [] },
  unsupported_audio: { when: 'Only an audio file came.', placeholders: [] },
  unsupported_photo: { when: 'Only a photo came.', placeholders: [] },
  unsupported_video: { when: 'Only a video came.', placeholders: [] },
  unsupported_video_note: { when: 'Only a video message came.', placeholders: [] },
  unsupported_animation: { when: 'Only an animation came.', placeholders: [] },
  unsupported_sticker: { when: 'Only a sticker came.', placeholders: [] },
  unsupported_document: { when: 'Only a file came.', placeholders: [] },
  unsupported_location: { when: 'Only a place on the map came.', placeholders: [] },
  unsupported_contact: { when: 'Only a contact came.', placeholders: [] },
  unsupported_poll: { when: 'Only a poll came.', placeholders: [] },
  unsupported_checklist: { when: 'Only a checklist came.', placeholders: [] },
  unsupported_game: { when: 'Only a game came.', placeholders: [] },
  unsupported_story: { when: 'Only a story came.', placeholders: [] },
  file_too_large: { when: 'Only a file came, and it is larger than 20 MB.', placeholders: [] },
  file_unavailable: { when: 'Only a file came, and the platform did not hand it over.', placeholders: [] },
  file_no_room: { when: "Only a file came, and the tenant's room for files is full.", placeholders: [] },
  file_expired: { when: 'Only a file came, and it is no longer kept.', placeholders: [] },
  recording_unclear: { when: 'Only a recording came, and no word of it was understood.', placeholders: [] },
  unsupported_file_type: { when: 'Only a file came, of a type that can not be read.', placeholders: [] },
  agents_list: { when: 'Stands above the agents that /agent lists.', placeholders: [] },
  agents_more: { when: 'Ends a list of agents that is too long.', placeholders: ['count'] },
  agent_chosen: { when: 'The person has chosen an agent.', placeholders: ['agent'] },
  approval_waiting: { when: 'Calls of tools wait for an approval.', placeholders: ['tools'] },
  approval_rejected: { when: 'A call was not approved.', placeholders: ['tool'] },
  approval_rejected_note: {
    when: 'A call was not approved, with a note why.',
    placeholders: ['tool', 'note'],
  },
  approval_expired: { when: 'Nobody decided about a call in time.', placeholders: ['tool'] },
  approval_refused: { when: 'A call was approved and is not allowed any more.', placeholders: ['tool'] },
  approval_refused_detail: {
    when: 'A call was approved and is not allowed any more, with the reason.',
    placeholders: ['tool', 'detail'],
  },
  approval_uncertain: { when: 'Whether an approved call was made is not known.', placeholders: ['tool'] },
  approval_failed: { when: 'An approved call failed.', placeholders: ['tool'] },
  approval_executed: { when: 'An approved call was made.', placeholders: ['tool'] },
} as const satisfies Record<string, Spoken>;

export type BotWordKey = keyof typeof botWordKeys;
const keys = Object.keys(botWordKeys) as BotWordKey[];

/** Languages with a complete set of texts; in others, the bot uses its own. */
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

/** The BCP 47 form, such as `pt-BR`; `undefined` if it is no tag. */
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

export const maxUnitsOfWord = 1000;
const maxLanguagesOfWords = 30;
const maxUnitsOfWords = 20_000;

const placeholder = /\{([^{}]*)\}/g;
/** Characters that neither a line nor the database can hold. */
const notShown = /[^\P{Cc}\n]|\p{Cs}/u;

/** Plain text; only its key's placeholders in braces have a meaning. */
function textOf(key: BotWordKey) {
  const known: readonly string[] = botWordKeys[key].placeholders;
  const named = known.map((name) => `{${name}}`).join(' and ');
  return z
    .string()
    .trim()
    .min(1)
    .max(maxUnitsOfWord)
    .refine((text) => !notShown.test(text), 'must be text without control characters')
    .refine(
      (text) => {
        const rest = text.replace(placeholder, (whole, name: string) => (known.includes(name) ? '' : whole));
        return !/[{}]/.test(rest);
      },
      known.length > 0 ? `must have nothing in braces but ${named}` : 'must have nothing in braces',
    )
    .meta({ description: botWordKeys[key].when + (named ? ` May name ${named}.` : '') });
}

const texts = Object.fromEntries(keys.map((key) => [key, textOf(key).optional()])) as {
  [Key in BotWordKey]: z.ZodOptional<z.ZodString>;
};

/** A bot's own texts in one language; absent ones are the same as for every bot. */
const WordsOfLanguage = z.strictObject(texts).meta({
  id: 'WordsOfLanguage',
  description: "Texts of a bot's own in one language; what is absent is said as every bot says it.",
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
      'Texts of its own in place of those that every bot says, by language and key; `GET …/words` lists the keys. A text is ' +
      'plain text, in which the placeholders of its key may stand in braces. Replaced as a whole.',
    examples: [{ de: { greeting: 'Moin! Hier ist {bot}.' } }],
  });
export type BotWords = z.output<typeof BotWords>;

/** A bot's texts in a language, and the texts common to all bots. */
export const BotSpeech = z
  .object({
    defaultLanguage: z
      .string()
      .describe(
        "A language tag (BCP 47): for people whose language isn't known, or in which nothing is said.",
      ),
    languages: z.array(z.string()).describe('Languages in which everything is said.'),
    keys: z
      .array(
        z.object({
          key: z.string().describe('The name of the text in `words`.'),
          when: z.string().describe('When it is said.'),
          placeholders: z.array(z.string()).describe('What may be named in it, as `{name}`.'),
        }),
      )
      .describe('Every text that a bot says without a model.'),
    words: z
      .array(
        z.object({
          language: z.string().describe('A language tag (BCP 47).'),
          texts: z
            .record(
              z.string(),
              z.object({
                text: z.string().describe('As it is said, with its placeholders.'),
                default: z.string().describe('What every other bot says.'),
                isOwn: z
                  .boolean()
                  .describe('Whether the bot has a text of its own for exactly this language.'),
              }),
            )
            .describe('Each text by its key.'),
        }),
      )
      .describe('Each language in which everything is said, and each in which the bot has words of its own.'),
  })
  .meta({ id: 'BotSpeech', description: 'What a bot says by itself, beside what every other bot says.' });
export type BotSpeech = z.input<typeof BotSpeech>;
