import { domainConfig, httpAddress } from '@botyard/shared/config/config';
import { keyringSetting, secretSetting } from '@botyard/shared/secrets/settings';
import { z } from 'zod';

export const tenancyConfig = domainConfig.extend({
  SECRETS_KEYS: keyringSetting,
  MESSENGER_API_URL: httpAddress.default('https://api.telegram.org'),
  IDP_API_URL: httpAddress.default('https://api.clerk.com/v1'),
  IDP_SECRET_KEY: secretSetting.optional(),
  /** How often all people and organizations are compared with the identity provider. Not without IDP_SECRET_KEY. */
  IDP_RECONCILE_EVERY_MS: z.coerce.number().int().min(100).max(604_800_000).default(3_600_000),
});

export type TenancyConfig = z.output<typeof tenancyConfig>;
