import type { PageRequest } from '@botyard/contracts/http/page';
import type { TenantTx } from '@botyard/shared/db/database';
import { and, eq, lte, sql } from '@botyard/shared/db/drizzle';
import { rowsOf, translated } from '@botyard/shared/db/rows';
import { conflict, notFound } from '@botyard/shared/http/errors';
import { privateChatGrants } from '../../store/authorization-schema.ts';

export type PrivateChatGrantRow = typeof privateChatGrants.$inferSelect;

const stored = rowsOf(privateChatGrants, 'tenantId', 'grantId');
export const deletePrivateChatGrant = stored.remove;

const now = sql`now()`;

/**
 * @throws HttpError 404 when the bot is not the tenant's, 409 when the same grant exists. An expired one is replaced.
 */
export async function insertPrivateChatGrant(
  tx: TenantTx,
  grant: Omit<PrivateChatGrantRow, 'createdAt'>,
): Promise<PrivateChatGrantRow> {
  const { grantId, name, until, createdBy } = grant;
  const { tenantId, botId, platform, platformUserId } = privateChatGrants;
  const inserting = tx.db
    .insert(privateChatGrants)
    .values(grant)
    .onConflictDoUpdate({
      target: [tenantId, botId, platform, platformUserId],
      set: { grantId, name, until, createdBy, createdAt: now },
      setWhere: lte(privateChatGrants.until, now),
    })
    .returning();
  const [row] = await translated(inserting, {
    private_chat_grants_of_bot: (cause) => notFound('bot', { cause }),
  });
  if (!row) throw conflict('this person may already write to the bot');
  return row;
}

/** Newest first, one more than the page's limit. */
export const listPrivateChatGrants = (
  tx: TenantTx,
  tenantId: string,
  { botId, ...page }: PageRequest & { botId?: string | undefined },
) => stored.list(tx, { tenantId, botId }, page);

export const countPrivateChatGrants = (tx: TenantTx, tenantId: string) => stored.count(tx, { tenantId });

export async function deleteExpiredPrivateChatGrants(tx: TenantTx, tenantId: string): Promise<void> {
  await tx.db
    .delete(privateChatGrants)
    .where(and(eq(privateChatGrants.tenantId, tenantId), lte(privateChatGrants.until, now)));
}
