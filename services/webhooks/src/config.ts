import { domainConfig, httpAddress } from '@botyard/shared/config/config';
import { keyringSetting } from '@botyard/shared/secrets/settings';
import { z } from 'zod';

export const webhooksConfig = domainConfig.extend({
  SECRETS_KEYS: keyringSetting,
  MESSENGER_API_URL: httpAddress.default('https://api.telegram.org'),
  WEBHOOK_BASE_URL: httpAddress.default('http://localhost:3001'),
  WEBHOOK_RATE_LIMIT_PER_MINUTE: z.coerce.number().int().min(1).default(600),
  /** Connections kept for admission, so that nothing else can keep a delivery waiting. */
  ADMISSION_MAX_CONNECTIONS: z.coerce.number().int().min(1).max(100).default(4),
});

export type WebhooksConfig = z.output<typeof webhooksConfig>;
