import type { TenantTx } from '@botyard/shared/db/database';
import { and, eq } from '@botyard/shared/db/drizzle';
import { botAssignments, botGroups } from '../../store/routing-schema.ts';

/** A bot's assignments and groups. */
export async function deleteRoutingOf(
  tx: TenantTx,
  { tenantId, botId }: { tenantId: string; botId: string },
): Promise<void> {
  await tx.db
    .delete(botAssignments)
    .where(and(eq(botAssignments.tenantId, tenantId), eq(botAssignments.botId, botId)));
  await tx.db.delete(botGroups).where(and(eq(botGroups.tenantId, tenantId), eq(botGroups.botId, botId)));
}
