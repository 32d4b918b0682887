import { ofPublicProviders, type Provider } from '@botyard/contracts/providers';
import type { Secret } from '@botyard/shared/secrets/secret';
import type { KeysConfig } from '../config.ts';

/** The operator's settings of one provider. */
interface ProviderSettings {
  /** `name[:port]` that its keys may be sent to (REQ-REL-16); `null` while the provider isn't configured. */
  host: string | null;
  /** The platform's own access, used for tenants without a key; its `apiKey` is `null` if the provider needs none. */
  platform: { apiKey: Secret | null } | null;
}

export type Providers = Readonly<Record<Provider, ProviderSettings>>;

/**
 * The public providers and the configured private LLM, which serves every tenant as soon as it has an address
 * (REQ-KEY-5).
 */
export function providersOf(config: KeysConfig): Providers {
  const { PRIVATE_LLM_BASE_URL: privateUrl, PRIVATE_LLM_API_KEY: privateKey } = config;
  return {
    ...ofPublicProviders(({ addressSetting, keySetting }) =>
      publicProvider(config[addressSetting], config[keySetting]),
    ),
    'private-llm': privateUrl
      ? { host: new URL(privateUrl).host, platform: { apiKey: privateKey ?? null } }
      : { host: null, platform: null },
  };
}

function publicProvider(baseUrl: string, apiKey: Secret | undefined): ProviderSettings {
  return { host: new URL(baseUrl).host, platform: apiKey ? { apiKey } : null };
}
