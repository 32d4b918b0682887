import { z } from 'zod';
import { id, moment } from './common.ts';
import { platformNames } from './platform.ts';

export const IntegrationType = z.enum(platformNames, { error: `must be one of ${platformNames.join(', ')}` });
export type IntegrationType = z.output<typeof IntegrationType>;

export const Registration = z
  .object({
    state: z
      .enum(['pending', 'registered', 'failed', 'awaiting_first_delivery'])
      .describe('`awaiting_first_delivery`: of e-mail, until a mail has come for the address.'),
    lastError: z
      .string()
      .optional()
      .describe("The platform's reason, or the last error it met when it delivered."),
    pendingUpdates: z.number().int().optional(),
    checkedAt: moment.optional(),
  })
  .meta({ id: 'Registration' });
export type Registration = z.input<typeof Registration>;

/** Secrets inside are masked: at most the last 4 characters are shown. */
export const IntegrationSettings = z.object({
  messenger: z
    .object({
      webhookSecretToken: z.string().nullish().describe('Masked; null for an integration without one.'),
    })
    .optional(),
  email: z
    .object({
      webhookSigningKey: z.string().optional(),
      senderPolicy: z.enum(['authorized', 'open']).optional(),
    })
    .optional(),
});

export const Integration = z
  .object({
    integrationId: id,
    tenantId: id,
    botId: id,
    integrationType: IntegrationType,
    enabled: z.boolean(),
    maskedCredentials: z.record(z.string(), z.string()),
    settings: IntegrationSettings,
    registration: Registration,
    deliverTo: z
      .string()
      .optional()
      .describe("Of e-mail: the address that the mail platform's route for this mailbox has to post to."),
    createdAt: moment,
    updatedAt: moment,
  })
  .meta({ id: 'Integration' });
export type Integration = z.input<typeof Integration>;

/** Its shape is checked with the platform: a token that can't be one is refused like a rejected one (422). */
const botToken = z.string().min(1).max(200);
const MessengerCredentials = z.object({ botToken, botName: z.string().trim().min(1).max(200) });
const webhookSecretToken = z.string().regex(/^[A-Za-z0-9_-]{1,256}$/, 'must be 1 to 256 of A-Z a-z 0-9 _ -');
const MessengerSettings = z.object({
  webhookSecretToken: webhookSecretToken
    .nullish()
    .describe(
      'What the platform shows with each delivery; made here when it is absent. `null` for none, outside production only: deliveries are then accepted without it.',
    ),
});

/** Where people write to. The part before a `+` is the bot's; what follows one names a thread. */
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
  address: EmailAddress,
  apiKey: secret
    .optional()
    .describe("Sends in the name of the tenant's own account; without it the installation's is used."),
});
export const SenderPolicy = z.enum(['authorized', 'open'], { error: 'must be one of authorized, open' });
export type SenderPolicy = z.output<typeof SenderPolicy>;
const EmailSettings = z.object({
  webhookSigningKey: secret.optional(),
  senderPolicy: SenderPolicy.optional().describe(
    '`authorized` (default): an unknown sender gets a link first. `open`: everybody is answered.',
  ),
});

export const CreateIntegrationBody = z.discriminatedUnion('integrationType', [
  z.object({
    integrationType: z.literal('messenger'),
    credentials: MessengerCredentials,
    enabled: z.boolean().default(true),
    settings: z.object({ messenger: MessengerSettings.optional() }).optional(),
  }),
  z.object({
    integrationType: z.literal('email'),
    credentials: EmailCredentials,
    enabled: z.boolean().default(true),
    settings: z.object({ email: EmailSettings.optional() }).optional(),
  }),
]);
export type CreateIntegrationBody = z.output<typeof CreateIntegrationBody>;

/** Only what belongs to the integration's type is looked at. */
export const UpdateIntegrationBody = z.object({
  integrationType: IntegrationType.optional().describe('As it is: another one is 400.'),
  credentials: MessengerCredentials.extend(EmailCredentials.shape).partial().optional(),
  enabled: z.boolean().optional(),
  settings: z.object({ messenger: MessengerSettings.optional(), email: EmailSettings.optional() }).optional(),
});
export type UpdateIntegrationBody = z.output<typeof UpdateIntegrationBody>;
