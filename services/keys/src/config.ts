import { domainConfig, httpAddress } from '@botyard/shared/config/config';
import { keyringSetting, secretSetting } from '@botyard/shared/secrets/settings';
import type { z } from 'zod';

export const keysConfig = domainConfig.extend({
  SECRETS_KEYS: keyringSetting,
  OPENAI_BASE_URL: httpAddress.default('https://api.openai.com/v1'),
  OPENAI_API_KEY: secretSetting.optional(),
  ANTHROPIC_BASE_URL: httpAddress.default('https://api.anthropic.com'),
  ANTHROPIC_API_KEY: secretSetting.optional(),
  PRIVATE_LLM_BASE_URL: httpAddress.optional(),
  PRIVATE_LLM_API_KEY: secretSetting.optional(),
});

export type KeysConfig = z.output<typeof keysConfig>;
