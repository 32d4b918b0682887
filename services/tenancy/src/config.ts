import { domainConfig, httpAddress } from '@botyard/shared/config/config';
import { keyringSetting, secretSetting } from '@botyard/shared/secrets/settings';
import type { z } from 'zod';

export const tenancyConfig = domainConfig.extend({
  SECRETS_KEYS: keyringSetting,
  MESSENGER_API_URL: httpAddress.default('https://api.telegram.org'),
  IDP_API_URL: httpAddress.default('https://api.clerk.com/v1'),
  IDP_SECRET_KEY: secretSetting.optional(),
});

export type TenancyConfig = z.output<typeof tenancyConfig>;
