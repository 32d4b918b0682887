import { domainConfig } from '@botyard/shared/config/config';
import type { z } from 'zod';

export const usageConfig = domainConfig;

export type UsageConfig = z.output<typeof usageConfig>;
