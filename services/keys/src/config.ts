import { domainConfig, httpAddress } from '@botyard/shared/config/config';
import { keyringSetting, secretSetting } from '@botyard/shared/secrets/settings';
import { z } from 'zod';

export const keysConfig = domainConfig.extend({
  SECRETS_KEYS: keyringSetting,
  OPENAI_BASE_URL: httpAddress.default('https://api.openai.com/v1'),
  OPENAI_API_KEY: secretSetting.optional(),
  ANTHROPIC_BASE_URL: httpAddress.default('https://api.anthropic.com'),
  ANTHROPIC_API_KEY: secretSetting.optional(),
  PRIVATE_LLM_BASE_URL: httpAddress.optional(),
  PRIVATE_LLM_API_KEY: secretSetting.optional(),
  /** One deadline for asking a provider for a key; the gateway waits 10 s for us (reliability, rule 8). */
  VALIDATE_TIMEOUT_MS: z.coerce.number().int().min(100).max(9500).default(9000),
});

export type KeysConfig = z.output<typeof keysConfig>;
