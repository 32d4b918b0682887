import { TenantPurge, type TenantPurgeOptions } from '@botyard/shared/work/tenant-purge';

/** Removes what is kept here of tenants that were deleted. */
export const createTenantPurge = (options: Pick<TenantPurgeOptions, 'database' | 'log'>): TenantPurge =>
  new TenantPurge({ ...options, schema: 'keys', tables: [{ name: 'keys' }] });
