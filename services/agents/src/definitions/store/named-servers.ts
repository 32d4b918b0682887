import type { TenantTx } from '@botyard/shared/db/database';
import { and, eq, inArray } from '@botyard/shared/db/drizzle';
import { toolServers } from '../../store/integrations-schema.ts';

/** Those of the servers that the tenant has. They can't be deleted until the transaction ends. */
export async function holdServers(
  tx: TenantTx,
  tenantId: string,
  serverIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (serverIds.length === 0) return new Set();
  const rows = await tx.db
    .select({ serverId: toolServers.serverId })
    .from(toolServers)
    .where(and(eq(toolServers.tenantId, tenantId), inArray(toolServers.serverId, [...serverIds])))
    .for('key share');
  return new Set(rows.map(({ serverId }) => serverId));
}
