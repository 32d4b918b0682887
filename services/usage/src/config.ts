import { domainConfig } from '@botyard/shared/config/config';
import { z } from 'zod';

export const usageConfig = domainConfig.extend({
  /** A table of prices in place of the repository's; of the same form. */
  PRICES_FILE: z.string().optional(),
});

export type UsageConfig = z.output<typeof usageConfig>;
