import { z } from 'zod';
import { platformNames } from '../platform-names.ts';
import { id, moment } from './common.ts';
import { ofPlatforms, oneOfPlatforms, platformDefinitions, type ShownSettings } from './platform.ts';

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
export const IntegrationSettings = z.object(
  ofPlatforms(({ shownSettings, noun }) =>
    shownSettings.optional().describe(`Present for an integration with ${noun}.`),
  ) as { [Name in keyof ShownSettings]: z.ZodOptional<ShownSettings[Name]> },
);

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

export const CreateIntegrationBody = oneOfPlatforms(
  'integrationType',
  ({ credentials, settings, noun }, name) => ({
    credentials,
    enabled: z.boolean().default(true),
    settings: z
      .object({ [name]: settings.optional().describe(`Of ${noun}.`) })
      .optional()
      .describe('Without it the defaults.'),
  }),
);
export type CreateIntegrationBody = z.output<typeof CreateIntegrationBody>;

const shapesOfCredentials = platformNames.map((name) => platformDefinitions[name].credentials.shape);

/** Only what belongs to the integration's type is looked at. */
export const UpdateIntegrationBody = z.object({
  integrationType: IntegrationType.optional().describe('As it is: another one is 400.'),
  credentials: z
    .object(Object.assign({}, ...shapesOfCredentials) as (typeof shapesOfCredentials)[number])
    .partial()
    .optional()
    .describe('Those that change; they are tried with the platform first.'),
  enabled: z.boolean().optional(),
  settings: z
    .object(
      ofPlatforms(({ settings, noun }) =>
        settings.optional().describe(`Only for an integration with ${noun}.`),
      ),
    )
    .optional()
    .describe('Those that change.'),
});
export type UpdateIntegrationBody = z.output<typeof UpdateIntegrationBody>;
