import { z } from 'zod';
import { platformNames } from '../platform-names.ts';
import { id, moment } from './common.ts';
import { ofPlatforms, oneOfPlatforms, platformDefinitions, type ShownSettings } from './platform.ts';

const IntegrationType = z.enum(platformNames, { error: `must be one of ${platformNames.join(', ')}` });

export const Registration = z
  .object({
    state: z
      .enum(['pending', 'registered', 'failed', 'awaiting_first_delivery'])
      .describe(
        'State of the webhook at the platform. `awaiting_first_delivery`: the tenant sets the address up at the ' +
          'platform, and no verified delivery has arrived yet.',
      ),
    firstDeliveryAt: moment
      .optional()
      .describe(
        'When the first delivery of the account was verified. Absent until then, and for a platform at which the ' +
          'webhook is registered for you.',
      ),
    lastError: z
      .string()
      .optional()
      .describe(
        'The reason that the platform gave for a failed registration, or its last delivery error. Absent if there ' +
          'is none.',
      ),
    pendingUpdates: z
      .int()
      .optional()
      .describe(
        'Messages waiting for delivery at the platform, at the last check. Absent until the first check.',
      ),
    checkedAt: moment
      .optional()
      .describe('When the registration was last checked with the platform. Absent until the first check.'),
    mode: z
      .enum(['polling'])
      .optional()
      .describe(
        '`polling`: messages are fetched from the platform and no webhook is registered. This is used in ' +
          'development, when the platform cannot reach the installation. Absent if the platform delivers to a ' +
          'webhook.',
      ),
  })
  .meta({ id: 'Registration', description: "Registration of an integration's webhook at the platform." });
export type Registration = z.input<typeof Registration>;

/** Secrets are masked: at most the last 4 characters are shown. */
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
        'The credentials for the platform, by name. Secrets are masked except for their last 4 characters.',
      ),
    settings: IntegrationSettings.describe('Settings that are specific to the platform. Secrets are masked.'),
    registration: Registration,
    deliverTo: z
      .string()
      .optional()
      .describe(
        'The address that the tenant sets up at the platform for its deliveries. Absent where nothing is set up.',
      ),
    warnings: z
      .array(z.string())
      .optional()
      .describe(
        'What the trial of the credentials found wanting, such as a missing permission. Only in the answer to ' +
          'a request that had credentials tried.',
      ),
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
      .object({ [name]: settings.optional().describe(`Settings for ${noun}.`) })
      .optional()
      .describe('Settings that are specific to the platform. Omit them for the defaults.'),
  }),
);
export type CreateIntegrationBody = z.output<typeof CreateIntegrationBody>;

const shapesOfCredentials = platformNames.map((name) => platformDefinitions[name].credentials.shape);

/** Only the fields of the integration's own type are used. */
export const UpdateIntegrationBody = z.object({
  integrationType: IntegrationType.optional().describe(
    'The current type. It cannot be changed; any other value returns 400.',
  ),
  credentials: z
    .object(Object.assign({}, ...shapesOfCredentials) as (typeof shapesOfCredentials)[number])
    .partial()
    .optional()
    .describe('The credentials to change. They are verified with the platform first.'),
  enabled: z.boolean().optional(),
  settings: z
    .object(
      ofPlatforms(({ settings, noun }) =>
        settings.optional().describe(`Only for an integration with ${noun}.`),
      ),
    )
    .optional()
    .describe('The settings to change.'),
});
export type UpdateIntegrationBody = z.output<typeof UpdateIntegrationBody>;
