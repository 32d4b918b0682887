import type { Validation } from '@botyard/contracts/http/keys';
import type { Keyring } from '@botyard/shared/secrets/keyring';
import type { Foundation } from '@botyard/shared/service/foundation';
import type { TenantPurge } from '@botyard/shared/work/tenant-purge';
import type { ProviderClient } from './clients/providers.ts';
import type { Providers } from './domain/providers.ts';
import type { KeyId } from './store/keys.ts';

export interface Deps extends Foundation {
  keyring: Keyring;
  providers: Providers;
  /** Calls the providers' own APIs. */
  provider: ProviderClient;
  /** @throws HttpError 404. */
  validator: { validate(key: KeyId): Promise<Validation> };
  tenantPurge: TenantPurge;
}
