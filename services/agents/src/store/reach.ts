import { type AnyPgColumn, and, inArray, type SQL, sql } from '@botyard/shared/db/drizzle';

/** Whose rows may be seen: those of these tenants, or of all. */
export type Reach = readonly string[] | null;

/** Rows within reach; what is left of a deleted tenant, until it is purged, is in nobody's. */
export const isWithin = (tenantId: AnyPgColumn, reach: Reach): SQL | undefined =>
  and(
    reach === null ? undefined : inArray(tenantId, [...reach]),
    sql`not exists (select from agents.deleted_tenants gone where gone.tenant_id = ${tenantId})`,
  );
