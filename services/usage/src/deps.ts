import type { Foundation } from '@botyard/shared/service/foundation';
import type { TenantPurge } from '@botyard/shared/work/tenant-purge';
import type { CostOf } from './domain/prices.ts';

export interface Deps extends Foundation {
  tenantPurge: TenantPurge;
  costOf: CostOf;
  /** Monthly tokens on the platform's keys for a tenant without a limit by an operator; `null` is unlimited. */
  allowances: { readonly public: number | null; readonly private: number | null };
  /** The clock that determines the current period. */
  now: () => Date;
}
