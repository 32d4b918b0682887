import { z } from 'zod';
import { type Provider, providerTraits } from '../providers.ts';

/** The largest answer length that an agent can be set to. */
const maxOutputTokensOfAgent = 16_384;

/**
 * Settings of an agent's model. Omitted ones are left to the provider, except `maxOutputTokens`, which defaults to
 * 4,096.
 */
export const ModelSettings = z
  .strictObject({
    temperature: z
      .number()
      .min(0)
      .max(2)
      .optional()
      .describe(
        'From 0 to 2, or from 0 to 1 for `anthropic`. Some models accept no temperature; for those known, it is omitted.',
      ),
    maxOutputTokens: z
      .int()
      .min(1)
      .max(maxOutputTokensOfAgent)
      .optional()
      .describe('The most tokens in one response of the model, including reasoning. Defaults to 4096.'),
    reasoningEffort: z
      .enum(['low', 'medium', 'high'])
      .optional()
      .describe('For models that reason. Returns 400 for `anthropic`, which does not accept it.'),
  })
  .meta({
    id: 'ModelSettings',
    description:
      "Settings of an agent's model. Omitted settings are left to the provider, except `maxOutputTokens`, which defaults to 4,096.",
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
      message: `must be at most ${takes.maxTemperature} for the provider ${provider}`,
    });
  if (reasoningEffort !== undefined && !takes.takesReasoningEffort)
    faults.push({
      path: ['modelSettings', 'reasoningEffort'],
      message: `is not supported by the provider ${provider}: omit it`,
    });
  return faults;
}
