import { z } from 'zod';
import { PlatformName } from '../http/platform.ts';
import { UserIdentity } from '../identity.ts';
import { defineRequest } from './definition.ts';

/** The secrets that an installation gave, or that a refresh replaced. */
export const InstalledSecrets = z.record(z.string(), z.string());
export type InstalledSecrets = z.output<typeof InstalledSecrets>;

export const installIntegration = defineRequest('tenancy.integration.install.v1', {
  summary:
    "Connects a bot to the account in which the platform's app was installed: creates its integration, or gives it the new credentials. The secrets travel sealed by `SECRETS_KEYS` and bound to the bot. The same installation may be saved twice.",
  callers: ['webhooks'],
  request: z.object({
    tenantId: z.uuid(),
    botId: z.uuid(),
    platform: PlatformName,
    /** The admin who began the installation. They must still be one. */
    identity: UserIdentity,
    accountId: z.string().min(1),
    /** `InstalledSecrets`, with the binding of a trial of credentials. */
    sealedSecrets: z.string(),
  }),
  response: z.discriminatedUnion('outcome', [
    z.object({ outcome: z.literal('installed'), integrationId: z.uuid() }),
    z.object({
      outcome: z.literal('refused'),
      /**
       * `account in use`: by another bot, which isn't named. `not allowed`: the person is no admin any more. `not
       * readable`: the secrets were sealed by other keys, or for another bot.
       */
      reason: z.enum(['account in use', 'bot not found', 'not allowed', 'not readable']),
    }),
  ]),
  timeoutMs: 3000,
});
