import { z } from 'zod';
import { PlatformName } from '../http/platform.ts';
import { UserIdentity } from '../identity.ts';
import { defineRequest } from './definition.ts';

/** The binding of credentials that travel for a trial, and of the secrets that the trial returns. */
export const accountBinding = ({ tenantId, botId }: { tenantId: string; botId: string }) => ({
  purpose: 'account',
  tenantId,
  recordId: botId,
});

/** Credentials and settings of an integration, as sealed for a trial. */
export const TriedSecrets = z.object({
  credentials: z.record(z.string(), z.string()),
  settings: z.record(z.string(), z.unknown()),
});
export type TriedSecrets = z.output<typeof TriedSecrets>;

export const checkAccount = defineRequest('webhooks.account.check.v1', {
  summary:
    "Tries an integration's credentials at the platform, and returns the account that they belong to. The credentials travel sealed by `SECRETS_KEYS` and bound to the bot.",
  callers: ['tenancy'],
  request: z.object({
    tenantId: z.uuid(),
    botId: z.uuid(),
    integrationId: z.uuid(),
    platform: PlatformName,
    sealed: z.string(),
  }),
  response: z.discriminatedUnion('outcome', [
    z.object({
      outcome: z.literal('ok'),
      accountId: z.string(),
      /** Findings of the trial for the integration's secrets, sealed like the credentials. */
      sealedSecrets: z.string(),
      warnings: z.array(z.string()).optional(),
    }),
    z.object({ outcome: z.literal('refused'), reason: z.string() }),
    /** The platform gave no answer that shows anything about the credentials. */
    z.object({ outcome: z.literal('failed'), reason: z.string(), retryInMs: z.number().optional() }),
  ]),
  timeoutMs: 15_000,
});

export const beginInstallation = defineRequest('webhooks.installation.begin.v1', {
  summary:
    "Begins the installation of a platform's app for a bot, and returns the platform's page on which a person allows it. The person comes back to the webhooks service, in the browser that the hash names.",
  callers: ['tenancy'],
  request: z.object({
    tenantId: z.uuid(),
    botId: z.uuid(),
    platform: PlatformName,
    /** The admin who installs it. */
    identity: UserIdentity,
    /** SHA-256 of the secret in the browser's cookie, in hex. */
    browserHash: z.string().regex(/^[0-9a-f]{64}$/),
  }),
  response: z.discriminatedUnion('outcome', [
    z.object({ outcome: z.literal('begun'), url: z.url(), expiresAt: z.iso.datetime() }),
    z.object({ outcome: z.literal('refused'), reason: z.string() }),
  ]),
  timeoutMs: 2000,
});
