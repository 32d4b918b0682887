import type { TenantTx } from '@botyard/shared/db/database';
import { and, eq, sql } from '@botyard/shared/db/drizzle';
import { botGroups } from '../../store/routing-schema.ts';
import type { GroupRow } from './groups.ts';

interface Move {
  tenantId: string;
  botId: string;
  fromChatId: string;
  toChatId: string;
}

const groupAt = ({ tenantId, botId }: Move, platformChatId: string) =>
  and(
    eq(botGroups.tenantId, tenantId),
    eq(botGroups.botId, botId),
    eq(botGroups.platformChatId, platformChatId),
  );

/**
 * Moves a group to the new chat, with all its settings. A row that was created for the new chat meanwhile is replaced,
 * but its revision is kept, so that the announcement is the newest. Returns `undefined` when the old group isn't known.
 */
export async function moveGroup(tx: TenantTx, move: Move): Promise<GroupRow | undefined> {
  const [old] = await tx.db
    .select({ groupId: botGroups.groupId })
    .from(botGroups)
    .where(groupAt(move, move.fromChatId))
    .for('update');
  if (!old) return undefined;
  const [interim] = await tx.db
    .delete(botGroups)
    .where(groupAt(move, move.toChatId))
    .returning({ revision: botGroups.revision });
  const [moved] = await tx.db
    .update(botGroups)
    .set({
      platformChatId: move.toChatId,
      revision: sql`greatest(${botGroups.revision}, ${interim?.revision ?? 0}) + 1`,
    })
    .where(groupAt(move, move.fromChatId))
    .returning();
  return moved;
}
