import { z } from 'zod';
import { id, moment } from './common.ts';

export const Registration = z
  .object({
    state: z.enum(['pending', 'registered', 'failed']),
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
  messenger: z.object({ webhookSecretToken: z.string().optional() }).optional(),
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
    integrationType: z.enum(['messenger', 'email']),
    enabled: z.boolean(),
    maskedCredentials: z.record(z.string(), z.string()),
    settings: IntegrationSettings,
    registration: Registration,
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
  messenger: z.object({ webhookSecretToken: webhookSecretToken.optional() }).optional(),
});

export const CreateIntegrationBody = z.object({
  integrationType: z.literal('messenger'),
  credentials: MessengerCredentials,
  enabled: z.boolean().default(true),
  settings: MessengerSettings.optional(),
});
export type CreateIntegrationBody = z.output<typeof CreateIntegrationBody>;

export const UpdateIntegrationBody = z.object({
  credentials: MessengerCredentials.partial().optional(),
  enabled: z.boolean().optional(),
  settings: MessengerSettings.optional(),
});
export type UpdateIntegrationBody = z.output<typeof UpdateIntegrationBody>;
