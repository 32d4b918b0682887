/** The protocol for calling a provider's models. `compatible`: any server with OpenAI's chat completions API. */
export type ModelProtocol = 'openai' | 'anthropic' | 'compatible';

/** The settings that a provider's models accept, and their protocol. */
interface ProviderTraits {
  protocol: ModelProtocol;
  maxTemperature: number;
  takesReasoningEffort: boolean;
}

interface PublicProviderTraits extends ProviderTraits {
  /** The setting for the address, and its default. */
  addressSetting: `${string}_BASE_URL`;
  address: string;
  /** The setting for the platform's own key, which serves tenants without one. */
  keySetting: `${string}_API_KEY`;
}

/**
 * The providers for which every tenant can store a key. A provider with a known protocol needs only an entry here. The
 * settings, the check of keys, the calls, the allowance and the console's lists are derived from it.
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

/** `private-llm`: a model server that the tenant or the operator runs. */
export const providerNames = [...publicProviderNames, 'private-llm'] as const;
export type Provider = (typeof providerNames)[number];

export const providerTraits: Readonly<Record<Provider, ProviderTraits>> = {
  ...publicProviders,
  'private-llm': { protocol: 'compatible', maxTemperature: 2, takesReasoningEffort: true },
};

/** A value for every public provider, by the provider's name. */
export const ofPublicProviders = <Value>(
  make: (traits: (typeof publicProviders)[PublicProvider]) => Value,
): Record<PublicProvider, Value> =>
  Object.fromEntries(publicProviderNames.map((name) => [name, make(publicProviders[name])])) as Record<
    PublicProvider,
    Value
  >;
