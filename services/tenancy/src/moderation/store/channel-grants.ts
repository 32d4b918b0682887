import type { PageRequest } from '@botyard/contracts/http/page';
import type { PlatformName } from '@botyard/contracts/http/platform';
import type { TenantTx } from '@botyard/shared/db/database';
import { and, desc, eq, lt } from '@botyard/shared/db/drizzle';
import { isForeignKeyViolation } from '@botyard/shared/db/failures';
import { conflict, notFound } from '@botyard/shared/http/errors';
import { channelGrants } from '../../store/authorization-schema.ts';

export type ChannelGrantRow = typeof channelGrants.$inferSelect;

/** @throws HttpError 404 when the bot is not the tenant's, 409 when it has the grant already. */
export async function insertChannelGrant(
  tx: TenantTx,
  grant: Omit<ChannelGrantRow, 'createdAt'>,
): Promise<ChannelGrantRow> {
  try {
    const [row] = await tx.db.insert(channelGrants).values(grant).onConflictDoNothing().returning();
    if (!row) throw conflict('the bot serves this channel already', { code: 'already_exists' });
    return row;
  } catch (error) {
    if (!isForeignKeyViolation(error, 'channel_grants_of_bot')) throw error;
    throw notFound('bot', { cause: error });
  }
}

/** Newest first, one more than the page's limit. */
export async function listChannelGrants(
  tx: TenantTx,
  tenantId: string,
  page: PageRequest & { botId?: string | undefined },
): Promise<ChannelGrantRow[]> {
  return await tx.db
    .select()
    .from(channelGrants)
    .where(
      and(
        eq(channelGrants.tenantId, tenantId),
        page.botId ? eq(channelGrants.botId, page.botId) : undefined,
        page.before ? lt(channelGrants.grantId, page.before) : undefined,
      ),
    )
    .orderBy(desc(channelGrants.grantId))
    .limit(page.limit + 1);
}

/** `false` when there was none. */
export async function deleteChannelGrant(tx: TenantTx, tenantId: string, grantId: string): Promise<boolean> {
  const rows = await tx.db
    .delete(channelGrants)
    .where(and(eq(channelGrants.tenantId, tenantId), eq(channelGrants.grantId, grantId)))
    .returning({ grantId: channelGrants.grantId });
  return rows.length > 0;
}

export async function countChannelGrants(tx: TenantTx, tenantId: string): Promise<number> {
  return await tx.db.$count(channelGrants, eq(channelGrants.tenantId, tenantId));
}

/** A grant follows its group; where the chat that it became has one already, that one stays. Returns whether there was one. */
export async function moveChannelGrant(
  tx: TenantTx,
  move: { tenantId: string; botId: string; platform: PlatformName; fromChatId: string; toChatId: string },
): Promise<boolean> {
  const values = [move.tenantId, move.botId, move.platform, move.fromChatId, move.toChatId];
  const ofMove = (chat: string) =>
    `g.tenant_id = $1 and g.bot_id = $2 and g.platform = $3 and g.platform_chat_id = ${chat}`;
  const moved = await tx.query({
    name: 'tenancy.channel_grants.move',
    text: `update tenancy.channel_grants g set platform_chat_id = $5 where ${ofMove('$4')}
             and not exists (select from tenancy.channel_grants g where ${ofMove('$5')}) returning 1`,
    values,
  });
  if (moved.length > 0) return true;
  const left = await tx.query({
    name: 'tenancy.channel_grants.drop_moved',
    text: `delete from tenancy.channel_grants g where ${ofMove('$4')} returning 1`,
    values: values.slice(0, 4),
  });
  return left.length > 0;
}
