import type { Keyring } from '@botyard/shared/secrets/keyring';
import type { Foundation } from '@botyard/shared/service/foundation';
import type { TenantPurge } from '@botyard/shared/work/tenant-purge';
import type { ProviderClient } from './clients/providers.ts';
import type { Providers } from './domain/providers.ts';
import type { Validator } from './domain/validator.ts';

export interface Deps extends Foundation {
  keyring: Keyring;
  providers: Providers;
  /** Calls the providers' own APIs. */
  provider: ProviderClient;
  validator: Validator;
  tenantPurge: TenantPurge;
}
