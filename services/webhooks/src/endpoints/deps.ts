import type { Keyring } from '@botyard/shared/secrets/keyring';
import type { Foundation } from '@botyard/shared/service/foundation';
import type { TenantPurge } from '@botyard/shared/work/tenant-purge';
import type { Platforms } from '../platforms/platform.ts';
import type { Endpoints } from './domain/endpoints.ts';

export interface Deps extends Foundation {
  keyring: Keyring;
  endpoints: Endpoints;
  platforms: Platforms;
  webhookBaseUrl: string;
  /** Interval between checks of an integration's webhook at the platform. */
  webhookCheckEveryMs: number;
  tenantPurge: Pick<TenantPurge, 'wake'>;
  /** Wakes the registrar, because registrations may be due. */
  wakeRegistrar: () => void;
  /** Wakes the checker, because a check of an integration was requested. */
  wakeChecker: () => void;
}
