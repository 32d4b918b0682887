import type { Keyring } from '@botyard/shared/secrets/keyring';
import type { Foundation } from '@botyard/shared/service/foundation';
import type { TenantPurge } from '@botyard/shared/work/tenant-purge';
import type { Providers } from './domain/providers.ts';

export interface Deps extends Foundation {
  keyring: Keyring;
  providers: Providers;
  tenantPurge: TenantPurge;
}
