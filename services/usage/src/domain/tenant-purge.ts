import { TenantPurge, type TenantPurgeOptions } from '@botyard/shared/work/tenant-purge';

const tables = [
  ...['quotas', 'reservations', 'quota_use', 'quota_warnings', 'counters', 'log_entries'],
  ...['allowances', 'allowance_use'],
];

/** Removes the data of deleted tenants from this service. */
export const createTenantPurge = (options: Pick<TenantPurgeOptions, 'database' | 'log'>): TenantPurge =>
  new TenantPurge({ ...options, schema: 'usage', tables: tables.map((name) => ({ name })) });
