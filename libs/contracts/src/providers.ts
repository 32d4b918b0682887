/** How a provider's models are asked. `compatible`: any server that speaks OpenAI's chat completions. */
export type ModelProtocol = 'openai' | 'anthropic' | 'compatible';

/** The settings that a provider's models take, and how they are asked. */
interface ProviderTraits {
  protocol: ModelProtocol;
  maxTemperature: number;
  takesReasoningEffort: boolean;
}

interface PublicProviderTraits extends ProviderTraits {
  /** The setting of its address, and the address without it. */
  addressSetting: `${string}_BASE_URL`;
  address: string;
  /** The setting of the platform's own key, which serves tenants without one. */
  keySetting: `${string}_API_KEY`;
}

/**
 * The providers that every tenant can have a key of. An entry here is all that one with a known protocol takes: the
 * settings, the check of keys, the calls, the allowance and the console's lists follow.
 */
export const publicProviders = {
  openai: {
    protocol: 'openai',
    maxTemperature: 2,
    takesReasoningEffort: true,
    addressSetting: 'OPENAI_BASE_URL',
    address: 'https://api.openai.com/v1',
    keySetting: 'OPENAI_API_KEY',
  },
  anthropic: {
    protocol: 'anthropic',
    maxTemperature: 1,
    // Its thinking budget is separate from the longest answer.
    takesReasoningEffort: false,
    addressSetting: 'ANTHROPIC_BASE_URL',
    address: 'https://api.anthropic.com',
    keySetting: 'ANTHROPIC_API_KEY',
  },
} as const satisfies Readonly<Record<string, PublicProviderTraits>>;

export type PublicProvider = keyof typeof publicProviders;
export const publicProviderNames = Object.keys(publicProviders) as PublicProvider[];

/** `private-llm`: a model server of the tenant's or the operator's own. */
export const providerNames = [...publicProviderNames, 'private-llm'] as const;
export type Provider = (typeof providerNames)[number];

export const providerTraits: Readonly<Record<Provider, ProviderTraits>> = {
  ...publicProviders,
  'private-llm': { protocol: 'compatible', maxTemperature: 2, takesReasoningEffort: true },
};

/** Something of every public provider, by its name. */
export const ofPublicProviders = <Value>(
  make: (traits: (typeof publicProviders)[PublicProvider]) => Value,
): Record<PublicProvider, Value> =>
  Object.fromEntries(publicProviderNames.map((name) => [name, make(publicProviders[name])])) as Record<
    PublicProvider,
    Value
  >;
