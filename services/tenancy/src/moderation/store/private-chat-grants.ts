import type { PageRequest } from '@botyard/contracts/http/page';
import type { TenantTx } from '@botyard/shared/db/database';
import { and, desc, eq, lt, lte, sql } from '@botyard/shared/db/drizzle';
import { isForeignKeyViolation } from '@botyard/shared/db/failures';
import { conflict, notFound } from '@botyard/shared/http/errors';
import { privateChatGrants } from '../../store/authorization-schema.ts';

export type PrivateChatGrantRow = typeof privateChatGrants.$inferSelect;

const now = sql`now()`;

/** @throws HttpError 404 when the bot is not the tenant's, 409 when the same grant stands; an expired one is replaced. */
export async function insertPrivateChatGrant(
  tx: TenantTx,
  grant: Omit<PrivateChatGrantRow, 'createdAt'>,
): Promise<PrivateChatGrantRow> {
  const { grantId, name, until, createdBy } = grant;
  try {
    const [row] = await tx.db
      .insert(privateChatGrants)
      .values(grant)
      .onConflictDoUpdate({
        target: [
          privateChatGrants.tenantId,
          privateChatGrants.botId,
          privateChatGrants.platform,
          privateChatGrants.platformUserId,
        ],
        set: { grantId, name, until, createdBy, createdAt: now },
        setWhere: lte(privateChatGrants.until, now),
      })
      .returning();
    if (!row) throw conflict('this person may write to the bot already', { code: 'already_exists' });
    return row;
  } catch (error) {
    if (!isForeignKeyViolation(error, 'private_chat_grants_of_bot')) throw error;
    throw notFound('bot', { cause: error });
  }
}

/** Newest first, one more than the page's limit. */
export async function listPrivateChatGrants(
  tx: TenantTx,
  tenantId: string,
  page: PageRequest & { botId?: string | undefined },
): Promise<PrivateChatGrantRow[]> {
  return await tx.db
    .select()
    .from(privateChatGrants)
    .where(
      and(
        eq(privateChatGrants.tenantId, tenantId),
        page.botId ? eq(privateChatGrants.botId, page.botId) : undefined,
        page.before ? lt(privateChatGrants.grantId, page.before) : undefined,
      ),
    )
    .orderBy(desc(privateChatGrants.grantId))
    .limit(page.limit + 1);
}

/** `false` when there was none. */
export async function deletePrivateChatGrant(
  tx: TenantTx,
  tenantId: string,
  grantId: string,
): Promise<boolean> {
  const rows = await tx.db
    .delete(privateChatGrants)
    .where(and(eq(privateChatGrants.tenantId, tenantId), eq(privateChatGrants.grantId, grantId)))
    .returning({ grantId: privateChatGrants.grantId });
  return rows.length > 0;
}

export async function countPrivateChatGrants(tx: TenantTx, tenantId: string): Promise<number> {
  return await tx.db.$count(privateChatGrants, eq(privateChatGrants.tenantId, tenantId));
}

export async function deleteExpiredPrivateChatGrants(tx: TenantTx, tenantId: string): Promise<void> {
  await tx.db
    .delete(privateChatGrants)
    .where(and(eq(privateChatGrants.tenantId, tenantId), lte(privateChatGrants.until, now)));
}
