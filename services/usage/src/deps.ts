import type { Foundation } from '@botyard/shared/service/foundation';
import type { TenantPurge } from '@botyard/shared/work/tenant-purge';
import type { CostOf } from './domain/prices.ts';

export interface Deps extends Foundation {
  tenantPurge: TenantPurge;
  costOf: CostOf;
  /** Decides which period it is. */
  now: () => Date;
}
