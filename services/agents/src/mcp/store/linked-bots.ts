import type { TenantTx } from '@botyard/shared/db/database';
import { and, eq, isNull } from '@botyard/shared/db/drizzle';
import { bots } from '../../store/schema.ts';

/** The bot in whose chat a link was sent; `undefined` if it was deleted. */
export async function getLinkedBot(
  tx: TenantTx,
  { tenantId, botId }: { tenantId: string; botId: string },
): Promise<{ name: string } | undefined> {
  const [bot] = await tx.db
    .select({ name: bots.name })
    .from(bots)
    .where(and(eq(bots.tenantId, tenantId), eq(bots.botId, botId), isNull(bots.deletedAt)));
  return bot;
}
