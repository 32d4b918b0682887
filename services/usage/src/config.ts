import { ceiling } from '@botyard/shared/config/ceiling';
import { domainConfig } from '@botyard/shared/config/config';
import { shown } from '@botyard/shared/config/shown';
import { z } from 'zod';

export const usageConfig = domainConfig.extend({
  /** A table of prices that replaces the repository's; in the same form. */
  PRICES_FILE: shown(z.string().optional()),
  /** Tokens that each tenant may use in a month (UTC) on the platform's keys of the public providers. */
  PLATFORM_KEY_MONTHLY_TOKENS: ceiling(1_000_000),
  /** The same for the private LLM, as long as the tenant has no key of its own for it. */
  PRIVATE_LLM_MONTHLY_TOKENS: ceiling(null),
});

export type UsageConfig = z.output<typeof usageConfig>;
