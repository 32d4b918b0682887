import type { PageRequest } from '@botyard/contracts/http/page';
import type { PlatformName } from '@botyard/contracts/http/platform';
import type { TenantTx } from '@botyard/shared/db/database';
import { rowsOf, translated } from '@botyard/shared/db/rows';
import { conflict, notFound } from '@botyard/shared/http/errors';
import { channelGrants } from '../../store/authorization-schema.ts';

export type ChannelGrantRow = typeof channelGrants.$inferSelect;

const stored = rowsOf(channelGrants, 'tenantId', 'grantId');
export const deleteChannelGrant = stored.remove;

/** @throws HttpError 404 when the bot is not the tenant's, 409 when it already has the grant. */
export async function insertChannelGrant(
  tx: TenantTx,
  grant: Omit<ChannelGrantRow, 'createdAt'>,
): Promise<ChannelGrantRow> {
  const inserting = tx.db.insert(channelGrants).values(grant).onConflictDoNothing().returning();
  const [row] = await translated(inserting, {
    channel_grants_of_bot: (cause) => notFound('bot', { cause }),
  });
  if (!row) throw conflict('the bot already serves this channel');
  return row;
}

/** Newest first, one more than the page's limit. */
export const listChannelGrants = (
  tx: TenantTx,
  tenantId: string,
  { botId, ...page }: PageRequest & { botId?: string | undefined },
) => stored.list(tx, { tenantId, botId }, page);

export const countChannelGrants = (tx: TenantTx, tenantId: string) => stored.count(tx, { tenantId });

/**
 * Moves a grant with its group. If the new chat already has a grant, that one is kept. Returns whether there was a
 * grant to move.
 */
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
  return await tx.has({
    name: 'tenancy.channel_grants.drop_moved',
    text: `delete from tenancy.channel_grants g where ${ofMove('$4')} returning 1`,
    values: values.slice(0, 4),
  });
}
