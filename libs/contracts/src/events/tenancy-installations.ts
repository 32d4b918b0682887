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

/** Secrets before and after a renewal; `renewed` is empty if the platform refused it. Sealed like the integration's. */
export const RenewedSecrets = z.object({ replaced: InstalledSecrets, renewed: InstalledSecrets });
export type RenewedSecrets = z.output<typeof RenewedSecrets>;

/** Whether a renewal replaces these secrets. Otherwise they already are the new ones, or a newer installation's. */
export const isReplacedBy = (
  secrets: Readonly<Record<string, unknown>>,
  { replaced }: RenewedSecrets,
): boolean => Object.entries(replaced).every(([name, secret]) => secrets[name] === secret);

export const renewSecrets = defineRequest('tenancy.integration.secrets.v1', {
  summary:
    "Saves the secrets with which a platform replaced an integration's, or that the platform refuses to replace them. Changes nothing if the integration has other secrets by now, so that it may be sent twice.",
  callers: ['webhooks'],
  request: z.object({
    tenantId: z.uuid(),
    botId: z.uuid(),
    integrationId: z.uuid(),
    /** `RenewedSecrets`, sealed by `SECRETS_KEYS` and bound to the integration. */
    sealedRenewal: z.string(),
    /** The platform's reason to refuse. The integration then fails with it, and loses its credentials. */
    refusal: z.string().optional(),
  }),
  response: z.object({
    /** `outdated`: the integration has other secrets, or is gone. `not readable`: sealed by other keys. */
    outcome: z.enum(['saved', 'outdated', 'not readable']),
  }),
  timeoutMs: 3000,
});
