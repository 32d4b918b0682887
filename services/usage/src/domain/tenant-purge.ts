import { TenantPurge, type TenantPurgeOptions } from '@botyard/shared/work/tenant-purge';

const tables = [
  ...['quotas', 'reservations', 'quota_use', 'quota_warnings', 'counters', 'log_entries'],
  ...['allowances', 'allowance_use'],
];

/** Removes what is kept here of tenants that were deleted. */
export const createTenantPurge = (options: Pick<TenantPurgeOptions, 'database' | 'log'>): TenantPurge =>
  new TenantPurge({ ...options, schema: 'usage', tables: tables.map((name) => ({ name })) });
