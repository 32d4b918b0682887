import { type AnyPgColumn, and, inArray, type SQL, sql } from '@botyard/shared/db/drizzle';

/** Whose rows may be seen: those of these tenants, or of all. */
export type Reach = readonly string[] | null;

/**
 * Rows within reach; what is left of a deleted tenant, until it is purged, is in nobody's. The deleted ones are read once, so
 * that a page is still read along its key.
 */
export const isWithin = (tenantId: AnyPgColumn, reach: Reach): SQL | undefined =>
  and(
    reach === null ? undefined : inArray(tenantId, [...reach]),
    sql`${tenantId} <> all (array(select gone.tenant_id from agents.deleted_tenants gone))`,
  );
