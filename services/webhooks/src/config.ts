import { domainConfig, httpAddress } from '@botyard/shared/config/config';
import { keyringSetting, secretSetting } from '@botyard/shared/secrets/settings';
import { z } from 'zod';

/** Of an empty key everybody would know the signatures. */
const signingKey = /^(?:whsec_)?[A-Za-z0-9+/]{4,}={0,2}$/;

export const webhooksConfig = domainConfig.extend({
  SECRETS_KEYS: keyringSetting,
  MESSENGER_API_URL: httpAddress.default('https://api.telegram.org'),
  WEBHOOK_BASE_URL: httpAddress.default('http://localhost:3001'),
  /** How often the platform is asked where it delivers to, for each integration; a fifth sooner or later. */
  WEBHOOK_CHECK_EVERY_MS: z.coerce.number().int().min(1000).max(604_800_000).default(900_000),
  WEBHOOK_RATE_LIMIT_PER_MINUTE: z.coerce.number().int().min(1).default(600),
  /** The signing secret of the identity provider's webhook, as its dashboard shows it. */
  IDP_WEBHOOK_SECRET: secretSetting
    .refine((secret) => signingKey.test(secret.reveal()), 'must be whsec_ and base64')
    .optional(),
  /** Connections kept for admission, so that nothing else can keep a delivery waiting. */
  ADMISSION_MAX_CONNECTIONS: z.coerce.number().int().min(1).max(100).default(4),
});

export type WebhooksConfig = z.output<typeof webhooksConfig>;
