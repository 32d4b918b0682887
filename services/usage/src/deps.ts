import type { Foundation } from '@botyard/shared/service/foundation';
import type { TenantPurge } from '@botyard/shared/work/tenant-purge';

export interface Deps extends Foundation {
  tenantPurge: TenantPurge;
}
