import { type PublicProvider, publicProviders } from '@botyard/contracts/providers';
import { domainConfig } from '@botyard/shared/config/config';
import { modelServerAddress, providerAddressSettings } from '@botyard/shared/config/provider-addresses';
import { optionalFor } from '@botyard/shared/config/shown';
import { keyringSetting, secretSetting } from '@botyard/shared/secrets/settings';
import { z } from 'zod';

/** The platform's own keys. */
const providerKeySettings = Object.fromEntries(
  Object.entries(publicProviders).map(([name, { keySetting }]) => [
    keySetting,
    optionalFor(secretSetting, `${name} answers only tenants that have a key of their own`),
  ]),
) as Record<KeySetting, ReturnType<typeof optionalFor<typeof secretSetting>>>;
type KeySetting = (typeof publicProviders)[PublicProvider]['keySetting'];

export const keysConfig = domainConfig.extend({
  SECRETS_KEYS: keyringSetting,
  ...providerAddressSettings,
  ...providerKeySettings,
  PRIVATE_LLM_BASE_URL: optionalFor(modelServerAddress, 'there is no private LLM'),
  PRIVATE_LLM_API_KEY: secretSetting.optional(),
  /** Overall deadline for a provider's check of a key; the gateway waits 10 s for this service (REQ-REL-8). */
  VALIDATE_TIMEOUT_MS: z.coerce.number().int().min(100).max(9500).default(9000),
});

export type KeysConfig = z.output<typeof keysConfig>;
