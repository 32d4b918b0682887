import type { Foundation } from '@botyard/shared/service/foundation';
import type { TenantPurge } from '@botyard/shared/work/tenant-purge';
import type { CostOf } from './domain/prices.ts';

export interface Deps extends Foundation {
  tenantPurge: TenantPurge;
  costOf: CostOf;
  /** Tokens a month on the platform's keys for a tenant for which no operator has set another; `null` is unlimited. */
  allowances: { readonly public: number | null; readonly private: number | null };
  /** Decides which period it is. */
  now: () => Date;
}
