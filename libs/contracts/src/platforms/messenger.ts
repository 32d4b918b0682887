import { z } from 'zod';
import type { Capabilities, PlatformDefinition, WebhookOperation } from './definition.ts';

/** Identifiers of groups, channels and people who write in their name begin with a minus. */
const chatId = z
  .string()
  .max(64)
  .regex(/^-?[1-9][0-9]*$/, 'must be the digits of a person or chat of the messenger');

const lostTopics = ['general', 'none'] as const;

export const MessengerSecrets = z.object({
  botToken: z.string(),
  botUsername: z.string(),
  platformBotId: z.string(),
  /** Empty when the integration has none, which production refuses (REQ-HOOK-2). */
  webhookSecretToken: z.string(),
  /** Where a reply to a group's topic goes that no longer exists. */
  lostTopic: z.enum(lostTopics).default('general'),
});
export type MessengerSecrets = z.output<typeof MessengerSecrets>;

const capabilities = {
  groups: true,
  threads: false,
  topics: true,
  edits: true,
  deletions: false,
  challenges: false,
  programs: false,
  statuses: false,
  reads: false,
  ratings: true,
  removals: false,
  buttons: true,
  filesIn: true,
  filesOut: true,
  typing: true,
  readMarks: false,
  previews: false,
  blocks: true,
  renames: true,
  rates: true,
  formatting: true,
  templates: false,
} satisfies Capabilities;

const receiveUpdate: WebhookOperation = {
  method: 'post',
  path: '/webhooks/messenger/{botId}',
  operationId: 'receiveMessengerUpdate',
  summary: "Receive an update from the messenger's Bot API.",
  description:
    "Called by the platform, which sends the integration's secret. Returns 200 if the update has been stored " +
    'durably, is a duplicate of a stored one, or is ignored. Requests are rate limited per client address and ' +
    'minute before the secret is checked.',
  headers: z.object({
    'X-Messenger-Bot-Api-Secret-Token': z
      .string()
      .optional()
      .meta({
        description:
          "The secret of the integration. The platform's own header, `X-Telegram-Bot-Api-Secret-Token`, is also " +
          'accepted. If both are sent, both must match.',
      }),
  }),
  body: {
    'application/json': z.looseObject({
      update_id: z
        .int()
        .describe('The identifier of the update, by which repeated deliveries are recognized.'),
    }),
  },
  errors: [400, 401, 404, 413, 429, 500, 503, 504],
};

export const messenger = {
  title: 'Telegram',
  icon: 'send',
  about: 'People write to a bot in Telegram, alone or in groups.',
  setUp: {
    before: [
      {
        text: 'Write /newbot to @BotFather in Telegram. It asks for a name and answers with the token.',
        link: { label: 'Open BotFather', address: 'https://t.me/BotFather' },
      },
    ],
    after: [
      { text: 'The address for deliveries is registered for you. Write to the bot in Telegram to try it.' },
    ],
  },
  meaning: 'the chat platform',
  noun: 'the chat platform',
  credential: 'bot token',
  registersWebhook: true,
  isLive: true,
  joinsMessages: true,
  provesSenders: true,
  privateChatIsPerson: true,
  usesAddresses: false,
  capabilities,
  limits: { textLength: 4096, fileBytes: 20 * 1024 * 1024, filesPerMessage: 1 },
  waitScope: 'chat',
  namesChatsAlone: true,
  personId: z
    .string()
    .max(64)
    .regex(/^[1-9][0-9]*$/, 'must be the digits of a person of the messenger'),
  chatId,
  senderId: chatId,
  credentials: z
    .object({
      /** Its shape is checked with the platform: a token that can't be one is refused like a rejected one (422). */
      botToken: z
        .string()
        .min(1)
        .max(200)
        .describe(
          'The token that the platform issued for the bot. It is encrypted before it is stored, and never shown again.',
        ),
      botName: z.string().trim().min(1).max(200).describe('The public name of the bot at the platform.'),
    })
    .describe('The credentials that the platform issued for the bot.'),
  accountSecret: 'platformBotId',
  accountId: "the bot's identifier at the platform",
  settings: z.object({
    webhookSecretToken: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,256}$/, 'must be 1 to 256 of A-Z a-z 0-9 _ -')
      .nullish()
      .describe(
        'The secret that the platform sends with each delivery. Generated if omitted. `null`: deliveries are accepted without one, which production does not allow.',
      ),
    lostTopic: z
      .enum(lostTopics, { error: 'must be one of general, none' })
      .optional()
      .describe(
        "Where a reply goes whose topic was deleted in a group. `general` (default): to the general topic, with the lost topic's name in front. `none`: it is not sent.",
      ),
  }),
  shownSettings: z.object({
    webhookSecretToken: z
      .string()
      .nullish()
      .describe('The masked secret. `null` if the integration has none.'),
    lostTopic: z
      .enum(lostTopics)
      .optional()
      .describe('Where a reply goes whose topic was deleted in a group. Absent: to the general topic.'),
  }),
  secrets: MessengerSecrets,
  shownWhole: ['botName', 'lostTopic'],
  deliverySecret: 'webhookSecretToken',
  form: {
    botToken: { label: 'Token from BotFather', help: 'Encrypted before it is stored.' },
    botName: { label: 'Bot username' },
    webhookSecretToken: {
      label: 'Secret of deliveries',
      help: 'The platform sends it with each delivery. It is made for you if you leave it empty.',
    },
    lostTopic: {
      label: "Replies to a group's deleted topic",
      choices: { general: 'Go to the general topic', none: 'Are not sent' },
    },
  },
  headers: ['x-messenger-bot-api-secret-token', 'x-telegram-bot-api-secret-token'],
  publicPaths: [],
  operations: [receiveUpdate],
  commands: { prefix: '/' },
} satisfies PlatformDefinition;
