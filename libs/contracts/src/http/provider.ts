import { z } from 'zod';
import { providerNames } from '../providers.ts';

/** The providers of models, as the API names them. */
export const Provider = z.enum(providerNames, { error: `must be one of ${providerNames.join(', ')}` });
export type Provider = z.output<typeof Provider>;
