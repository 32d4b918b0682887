import { z } from 'zod';
import type { PlatformDefinition, WebhookOperation } from './definition.ts';
import { RemovableHours, WebchatHours } from './webchat-hours.ts';
import {
  deleteMessage,
  downloadFile,
  endSession,
  errors,
  openStream,
  outcome,
  rateMessage,
  requestMail,
  token,
} from './webchat-operations.ts';

const maxOrigins = 100;
const maxLanguages = 20;
const maxSuggestions = 6;

/** `https://shop.example`: no path, no wildcard. A browser sends exactly this with each request of a page. */
const origin = z
  .string()
  .max(300)
  .toLowerCase()
  .regex(
    /^https?:\/\/([a-z0-9.-]+|\[[0-9a-f:]+\])(:\d{1,5})?$/,
    'must be an origin such as https://shop.example',
  )
  .meta({ examples: ['https://shop.example'] });

/** The identity of visitors is proven with it, so it has to be long enough not to be guessed. */
const identitySecret = z
  .string()
  .regex(/^[\x21-\x7e]{32,200}$/, 'must be 32 to 200 printable characters without blanks')
  .meta({ examples: ['c3ab8ff13720e8ad9047dd39466b3c89'] });

const webchatPositions = ['right', 'left'] as const;
const webchatAppearances = ['auto', 'light', 'dark'] as const;

export const WebchatTheme = z
  .object({
    color: z
      .string()
      .regex(/^#[0-9a-fA-F]{6}$/, 'must be a color such as #2563eb')
      .meta({ examples: ['#1d4ed8'] })
      .optional()
      .describe('The color of the button and of the visitor’s messages. The text on it is black or white.'),
    position: z
      .enum(webchatPositions, { error: 'must be one of right, left' })
      .optional()
      .describe('The corner of the page; mirrored in languages that are written from right to left.'),
    appearance: z
      .enum(webchatAppearances, { error: 'must be one of auto, light, dark' })
      .optional()
      .describe('`auto` (default) follows the visitor’s system.'),
  })
  .describe('The look of the chat.');
export type WebchatTheme = z.output<typeof WebchatTheme>;

const line = (max: number) => z.string().trim().min(1).max(max);

const LanguageWords = z.object({
  title: line(60).optional().describe('The heading of the window. Default: the name of the bot.'),
  greeting: line(1000).optional().describe('The first message, which is shown and not sent.'),
  suggestions: z
    .array(line(80))
    .max(maxSuggestions, `must be at most ${maxSuggestions} suggestions`)
    .optional()
    .describe('Questions that a visitor can ask with one press.'),
  away: line(1000).optional().describe('What visitors read outside of the `hours`.'),
});

/** By language: `en`, `de`, `pt-br`. A visitor gets those of their language, or else the first ones. */
export const WebchatWords = z
  .record(
    z.string().regex(/^[a-z0-9]{2,12}(-[a-z0-9]{2,8})?$/, 'must be a language such as de or pt-br'),
    LanguageWords,
  )
  .refine((words) => Object.keys(words).length <= maxLanguages, `must be at most ${maxLanguages} languages`)
  .describe(
    'The words of the chat by language. A visitor gets those of their language, or else the first ones.',
  )
  .meta({
    examples: [{ en: { title: 'Help', greeting: 'How can we help?', suggestions: ['Where is my order?'] } }],
  });
export type WebchatWords = z.output<typeof WebchatWords>;

export const AnswersByMail = z.enum(['offered', 'none'], { error: 'must be one of offered, none' });
export type AnswersByMail = z.output<typeof AnswersByMail>;

export const ThumbsAtAnswers = z.enum(['offered', 'none'], { error: 'must be one of offered, none' });
export type ThumbsAtAnswers = z.output<typeof ThumbsAtAnswers>;

export const WebchatSecrets = z.object({
  allowedOrigins: z.array(z.string()).default([]),
  identitySecret: z.string().optional(),
  theme: WebchatTheme.default({}),
  words: WebchatWords.default({}),
  hours: WebchatHours.nullable().default(null),
  answersByMail: AnswersByMail.default('offered'),
  thumbs: ThumbsAtAnswers.default('offered'),
});
export type WebchatSecrets = z.output<typeof WebchatSecrets>;

/** The limits that the window and the server share. */
export const webchatLimits = {
  textLength: 8000,
  fileBytes: 10 * 1024 * 1024,
  filesPerMessage: 1,
  /** A proof of work is answered within this time. */
  proofMs: 120_000,
} as const;

const webchatSettings = {
  allowedOrigins: z
    .array(origin)
    .max(maxOrigins, `must be at most ${maxOrigins} origins`)
    .optional()
    .describe(
      'The sites that may show the chat, as origins. With none, only the hosted page `/chat/<bot>` works.',
    ),
  identitySecret: identitySecret
    .optional()
    .describe(
      'Proves who a visitor is: an HMAC-SHA256 of the `userId`, or a JWT signed with HS256. Never shown again.',
    ),
  theme: WebchatTheme.optional(),
  words: WebchatWords.optional(),
  hours: RemovableHours,
  answersByMail: AnswersByMail.optional().describe(
    '`offered` (default): visitors may name an email address. Once they have opened the link that it gets, answers that no window of theirs has got come by mail, and what they answer there is a message of the chat. It needs an email integration of the bot that can send.',
  ),
  thumbs: ThumbsAtAnswers.optional().describe(
    '`offered` (default): visitors may rate each answer of an agent with a thumb.',
  ),
};

const visitorId = z.uuid('must be the identifier of a visitor');
const shownSettings = {
  allowedOrigins: z.array(z.string()).optional().describe('The sites that may show the chat.'),
  identitySecret: z.string().optional().describe('The masked secret. Omitted if there is none.'),
  theme: WebchatTheme.optional(),
  words: WebchatWords.optional(),
  hours: WebchatHours.optional(),
  answersByMail: AnswersByMail.optional().describe('Whether visitors may have answers sent by mail.'),
  thumbs: ThumbsAtAnswers.optional().describe('Whether visitors may rate answers with a thumb.'),
};

const sendMessage = {
  method: 'post',
  path: '/webhooks/webchat/{botId}/messages',
  operationId: 'sendWebchatMessage',
  summary: 'A visitor writes in a web chat.',
  description:
    'The body is one line of JSON as `text/plain`, so that a browser needs no preflight; a file follows in the next line as it is. The first message makes the session. Under attack the answer asks for a proof of work first.',
  body: {
    'text/plain': z.object({
      token: token.optional(),
      identity: z
        .union([
          z.object({
            userId: z.string().describe("The site's own identifier of the visitor."),
            hmac: z
              .string()
              .describe('The HMAC-SHA256 of the `userId` with the `identitySecret`, hexadecimal.'),
          }),
          z.object({ jwt: z.string().describe('A JWT (HS256) with `sub`, `iat` and `exp`.') }),
        ])
        .optional()
        .describe('The site vouches for the visitor.'),
      clientId: z.uuid().describe('The number of the message: what is sent twice is one message.'),
      startId: z
        .uuid()
        .optional()
        .describe(
          'A secret number of the browser: messages without a token that have the same one begin one session. Default: the `clientId`.',
        ),
      text: z.string().max(webchatLimits.textLength),
      readTo: z.int().optional().describe('The visitor has seen everything up to this `seq`.'),
    }),
  },
  answer: {
    description: 'The message is stored, or a proof of work is needed.',
    contentType: 'application/json',
    schema: z.union([
      outcome('sent', { token: token.optional() }),
      outcome('work', {
        challenge: z.string().describe('It goes back in `proof`, with the nonce that was found.'),
        bits: z.int().describe('The zero bits with which the SHA-256 of `challenge.nonce` begins.'),
      }),
    ]),
  },
  errors: [...errors, 401],
} as const satisfies WebhookOperation;

export const webchat = {
  meaning: 'the web chat of a site, which is our own',
  title: 'Web chat',
  icon: 'message-circle',
  about: 'A chat on your own site. Nobody has to approve it, and it works at once.',
  setUp: {
    before: [],
    after: [
      {
        text: 'Put this line into the pages of your site, which has to be among the sites that may show the chat.',
        copy: {
          label: 'Copy line',
          text: '<script src="{origin}/chat.js" data-bot="{botId}" async></script>',
        },
      },
      {
        text: 'Or give people the address of its own page. Open it to try the chat.',
        link: { label: 'Open the chat', address: '{origin}/chat/{botId}' },
        copy: { label: 'Copy address', text: '{origin}/chat/{botId}' },
      },
    ],
  },
  previewPath: '/chat/preview',
  noun: 'the web chat',
  credential: 'site',
  registersWebhook: false,
  isLive: true,
  joinsMessages: true,
  provesSenders: false,
  privateChatIsPerson: true,
  usesAddresses: false,
  capabilities: {
    groups: false,
    threads: false,
    topics: false,
    edits: false,
    deletions: true,
    challenges: false,
    programs: false,
    statuses: false,
    reads: true,
    ratings: true,
    removals: false,
    buttons: true,
    filesIn: true,
    filesOut: true,
    typing: true,
    readMarks: false,
    previews: true,
    blocks: false,
    renames: false,
    rates: false,
    formatting: true,
    templates: false,
  },
  limits: webchatLimits,
  waitScope: 'chat',
  personId: visitorId,
  chatId: visitorId,
  credentials: z.object({}).describe('A web chat needs no credentials: it is our own.'),
  accountId: "the integration's own identifier",
  settings: z.object(webchatSettings),
  shownSettings: z.object(shownSettings),
  secrets: WebchatSecrets,
  shownWhole: ['allowedOrigins', 'theme', 'words', 'hours', 'answersByMail', 'thumbs'],
  form: {
    allowedOrigins: {
      label: 'Sites that may show the chat',
      help: 'Such as https://shop.example, one on each line. With none, only the hosted page works.',
    },
    identitySecret: {
      label: 'Secret that proves who a visitor is',
      help: 'Your server signs the identifier of a signed-in visitor with it. Encrypted before it is stored.',
    },
    theme: { label: 'Look' },
    words: { label: 'Words' },
    hours: { label: 'Hours' },
    answersByMail: {
      label: 'Answers by email',
      help: 'Visitors may name an address for answers that they miss. It needs an email channel of the bot.',
      choices: { offered: 'Offered to visitors', none: 'Not offered' },
    },
    thumbs: {
      label: 'Thumbs at answers',
      help: 'Visitors rate answers of the AI with a thumb.',
      choices: { offered: 'Offered to visitors', none: 'Not offered' },
    },
  },
  headers: ['origin'],
  publicPaths: ['/chat.js', '/chat/:botId', '/chat/:version/:file'],
  operations: [sendMessage, openStream, deleteMessage, rateMessage, downloadFile, requestMail, endSession],
  commands: { prefix: '/' },
} satisfies PlatformDefinition;
