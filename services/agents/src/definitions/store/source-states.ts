import type { SourceStatus } from '@botyard/contracts/http/context-sources';
import type { TenantTx } from '@botyard/shared/db/database';
import { eq } from '@botyard/shared/db/drizzle';
import { contextSources } from '../../store/context-schema.ts';

/** How each of the tenant's documents stands. */
export async function listSourceStates(
  tx: TenantTx,
  tenantId: string,
): Promise<ReadonlyMap<string, SourceStatus>> {
  const { sourceId, status } = contextSources;
  const rows = await tx.db
    .select({ sourceId, status })
    .from(contextSources)
    .where(eq(contextSources.tenantId, tenantId));
  return new Map(rows.map((row) => [row.sourceId, row.status]));
}
