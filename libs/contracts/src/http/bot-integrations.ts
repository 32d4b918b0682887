import { z } from 'zod';
import { platformNames } from '../platform-names.ts';
import { id, moment } from './common.ts';

const IntegrationType = z.enum(platformNames, { error: `must be one of ${platformNames.join(', ')}` });

export const Registration = z
  .object({
    state: z
      .enum(['pending', 'registered', 'failed', 'awaiting_first_delivery'])
      .describe('`awaiting_first_delivery`: of e-mail, until a mail has come for the address.'),
    lastError: z
      .string()
      .optional()
      .describe("The platform's reason, or the last error it met when it delivered."),
    pendingUpdates: z
      .number()
      .int()
      .optional()
      .describe(
        'Messages that wait at the platform to be delivered, when it was asked last. Absent until then.',
      ),
    checkedAt: moment.optional().describe('When the platform was last asked for it. Absent until then.'),
    mode: z
      .enum(['polling'])
      .optional()
      .describe(
        '`polling`: in development, where the platform can not reach this installation, it is asked for messages and has no webhook. Absent where it delivers them.',
      ),
  })
  .meta({ id: 'Registration', description: 'How the platform knows of the webhook of an integration.' });
export type Registration = z.input<typeof Registration>;

/** Secrets inside are masked: at most the last 4 characters are shown. */
export const IntegrationSettings = z.object({
  messenger: z
    .object({
      webhookSecretToken: z.string().nullish().describe('Masked; null for an integration without one.'),
    })
    .optional()
    .describe('Present for an integration with the chat platform.'),
  email: z
    .object({
      webhookSigningKey: z.string().optional().describe('Masked. Absent where none was given.'),
      senderPolicy: z.enum(['authorized', 'open']).optional(),
    })
    .optional()
    .describe('Present for an integration with mail.'),
});

export const Integration = z
  .object({
    integrationId: id,
    tenantId: id,
    botId: id,
    integrationType: IntegrationType,
    enabled: z.boolean(),
    maskedCredentials: z
      .record(z.string(), z.string())
      .describe(
        'What it signs in with at the platform, by name; of secrets only the last 4 characters are shown.',
      ),
    settings: IntegrationSettings.describe('What belongs to its platform alone. Secrets are masked.'),
    registration: Registration,
    deliverTo: z
      .string()
      .optional()
      .describe("Of e-mail: the address that the mail platform's route for this mailbox has to post to."),
    createdAt: moment,
    updatedAt: moment,
  })
  .meta({ id: 'Integration', description: 'The connection of a bot to a chat platform or a mailbox.' });
export type Integration = z.input<typeof Integration>;

/** Its shape is checked with the platform: a token that can't be one is refused like a rejected one (422). */
const botToken = z.string().min(1).max(200);
const MessengerCredentials = z.object({
  botToken: botToken.describe(
    'The token that the platform gave for the bot. It is sealed and never shown again.',
  ),
  botName: z.string().trim().min(1).max(200).describe('The public name of the bot at the platform.'),
});
const webhookSecretToken = z.string().regex(/^[A-Za-z0-9_-]{1,256}$/, 'must be 1 to 256 of A-Z a-z 0-9 _ -');
const MessengerSettings = z.object({
  webhookSecretToken: webhookSecretToken
    .nullish()
    .describe(
      'What the platform shows with each delivery; made here when it is absent. `null` for none, outside production only: deliveries are then accepted without it.',
    ),
});

/** The address that people write to. The part before a `+` is the bot's; the part after it names a thread. */
const EmailAddress = z
  .string()
  .trim()
  .toLowerCase()
  .max(254)
  .regex(/^[^\s@+<>"(),:;[\]\\]{1,64}@[a-z0-9-]+(\.[a-z0-9-]+)+$/, 'must be an e-mail address without a +');
/** A secret that goes into a header or an HMAC: no blanks, no line breaks. */
const secret = z
  .string()
  .regex(/^[\x21-\x7e]{1,200}$/, 'must be 1 to 200 printable characters without blanks');
const EmailCredentials = z.object({
  address: EmailAddress.describe('The mailbox that people write to, without a `+`.'),
  apiKey: secret
    .optional()
    .describe("Sends in the name of the tenant's own account; without it the installation's is used."),
});
const SenderPolicy = z.enum(['authorized', 'open'], { error: 'must be one of authorized, open' });
const EmailSettings = z.object({
  webhookSigningKey: secret
    .optional()
    .describe(
      'With which the mailer signs what it delivers. Without it deliveries are not checked by a signature of the integration.',
    ),
  senderPolicy: SenderPolicy.optional().describe(
    '`authorized` (default): an unknown sender gets a link first. `open`: everybody is answered.',
  ),
});

export const CreateIntegrationBody = z.discriminatedUnion('integrationType', [
  z.object({
    integrationType: z.literal('messenger'),
    credentials: MessengerCredentials.describe('What the platform gave for the bot.'),
    enabled: z.boolean().default(true),
    settings: z
      .object({ messenger: MessengerSettings.optional().describe('Of the chat platform.') })
      .optional()
      .describe('Without it the defaults.'),
  }),
  z.object({
    integrationType: z.literal('email'),
    credentials: EmailCredentials.describe('The mailbox, and by whose account it sends.'),
    enabled: z.boolean().default(true),
    settings: z
      .object({ email: EmailSettings.optional().describe('Of mail.') })
      .optional()
      .describe('Without it the defaults.'),
  }),
]);
export type CreateIntegrationBody = z.output<typeof CreateIntegrationBody>;

/** Only what belongs to the integration's type is looked at. */
export const UpdateIntegrationBody = z.object({
  integrationType: IntegrationType.optional().describe('As it is: another one is 400.'),
  credentials: MessengerCredentials.extend(EmailCredentials.shape)
    .partial()
    .optional()
    .describe('Those that change; they are tried with the platform first.'),
  enabled: z.boolean().optional(),
  settings: z
    .object({
      messenger: MessengerSettings.optional().describe('Only for an integration with the chat platform.'),
      email: EmailSettings.optional().describe('Only for an integration with mail.'),
    })
    .optional()
    .describe('Those that change.'),
});
export type UpdateIntegrationBody = z.output<typeof UpdateIntegrationBody>;
