import { TenantPurge, type TenantPurgeOptions } from '@botyard/shared/work/tenant-purge';

/** Removes the data of deleted tenants from this service. */
export const createTenantPurge = (options: Pick<TenantPurgeOptions, 'database' | 'log'>): TenantPurge =>
  new TenantPurge({ ...options, schema: 'keys', tables: [{ name: 'keys' }] });
