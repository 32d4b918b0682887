import { domainConfig, httpAddress } from '@botyard/shared/config/config';
import { optionalFor } from '@botyard/shared/config/shown';
import { keyringSetting, secretSetting } from '@botyard/shared/secrets/settings';
import { z } from 'zod';

export const keysConfig = domainConfig.extend({
  SECRETS_KEYS: keyringSetting,
  OPENAI_BASE_URL: httpAddress.default('https://api.openai.com/v1'),
  OPENAI_API_KEY: optionalFor(secretSetting, 'openai answers only tenants that have a key of their own'),
  ANTHROPIC_BASE_URL: httpAddress.default('https://api.anthropic.com'),
  ANTHROPIC_API_KEY: optionalFor(
    secretSetting,
    'anthropic answers only tenants that have a key of their own',
  ),
  PRIVATE_LLM_BASE_URL: optionalFor(httpAddress, 'there is no private LLM'),
  PRIVATE_LLM_API_KEY: secretSetting.optional(),
  /** One deadline for asking a provider for a key; the gateway waits 10 s for us (REQ-REL-8). */
  VALIDATE_TIMEOUT_MS: z.coerce.number().int().min(100).max(9500).default(9000),
});

export type KeysConfig = z.output<typeof keysConfig>;
