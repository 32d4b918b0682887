import { z } from 'zod';
import { type Provider, providerTraits } from '../providers.ts';

/** The largest answer length that an agent can be set to. */
const maxOutputTokensOfAgent = 16_384;

/**
 * Settings of an agent's model. Absent ones are left to the provider, except the longest answer, which is then 4,096
 * tokens.
 */
export const ModelSettings = z
  .strictObject({
    temperature: z
      .number()
      .min(0)
      .max(2)
      .optional()
      .describe(
        '0 to 2, and 0 to 1 for `anthropic`. Some models take none; it is left out for those that are known to.',
      ),
    maxOutputTokens: z
      .number()
      .int()
      .min(1)
      .max(maxOutputTokensOfAgent)
      .optional()
      .describe('The longest answer of one question to the model, what it thinks included; 4096 without it.'),
    reasoningEffort: z
      .enum(['low', 'medium', 'high'])
      .optional()
      .describe('For models that reason. `anthropic` takes none: there it is 400.'),
  })
  .meta({
    id: 'ModelSettings',
    description:
      "How an agent's model answers. What isn't there is left to the provider, and the longest answer is 4,096 tokens then.",
  });
export type ModelSettings = z.output<typeof ModelSettings>;

/** The settings of an agent that a provider doesn't accept. */
export function faultsOfModelSettings(
  provider: Provider,
  { temperature, reasoningEffort }: ModelSettings,
): { path: string[]; message: string }[] {
  const takes = providerTraits[provider];
  const faults = [];
  if (temperature !== undefined && temperature > takes.maxTemperature)
    faults.push({
      path: ['modelSettings', 'temperature'],
      message: `must be ${takes.maxTemperature} at most for the provider ${provider}`,
    });
  if (reasoningEffort !== undefined && !takes.takesReasoningEffort)
    faults.push({
      path: ['modelSettings', 'reasoningEffort'],
      message: `is not taken by the provider ${provider}: leave it out`,
    });
  return faults;
}
