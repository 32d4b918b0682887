import { domainConfig } from '@botyard/shared/config/config';
import { shown } from '@botyard/shared/config/shown';
import { z } from 'zod';

export const usageConfig = domainConfig.extend({
  /** A table of prices in place of the repository's; of the same form. */
  PRICES_FILE: shown(z.string().optional()),
});

export type UsageConfig = z.output<typeof usageConfig>;
