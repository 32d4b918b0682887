import { z } from 'zod';
import type { PlatformDefinition } from './definition.ts';

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

export const messenger = {
  meaning: 'the chat platform',
  noun: 'the chat platform',
  credential: 'bot token',
  registersWebhook: true,
  isLive: true,
  joinsMessages: true,
  provesSenders: true,
  privateChatIsPerson: true,
  usesAddresses: false,
  personId: z
    .string()
    .max(64)
    .regex(/^[1-9][0-9]*$/, 'must be the digits of a person of the messenger'),
  /** Identifiers of groups, channels and people who write in their name begin with a minus. */
  chatId: z
    .string()
    .max(64)
    .regex(/^-?[1-9][0-9]*$/, 'must be the digits of a person or chat of the messenger'),
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
  account: 'botToken',
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
} satisfies PlatformDefinition;
