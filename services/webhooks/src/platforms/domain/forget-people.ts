import type { TenantTx } from '@botyard/shared/db/database';

/**
 * Removes what an adapter stores about people, under all their identifiers. Returns the number of rows by table,
 * without the schema.
 */
export type ForgetPeople = (
  tx: TenantTx,
  people: { tenantId: string; platformUserIds: readonly string[] },
) => Promise<Readonly<Record<string, number>>>;
