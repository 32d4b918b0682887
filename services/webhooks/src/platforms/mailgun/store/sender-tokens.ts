import type { PlatformTx, TenantTx } from '@botyard/shared/db/database';
import { and, eq, gt, isNull, sql } from '@botyard/shared/db/drizzle';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { senderTokens } from '../../../store/mail-schema.ts';

export type SenderTokenRow = typeof senderTokens.$inferSelect;
type NewToken = Pick<SenderTokenRow, 'tenantId' | 'tokenHash' | 'botId' | 'threadId' | 'address'>;

/** A link is valid for 24 hours, by the database's clock. */
export async function insertSenderToken(tx: TenantTx, token: NewToken): Promise<void> {
  await tx.db.insert(senderTokens).values({ ...token, expiresAt: sql`now() + interval '24 hours'` });
}

/**
 * Whether a link was sent to an address for a bot within 24 hours. Links for chats don't count: anybody could name the
 * address there, and keep a sender of mail from theirs.
 */
export const hasRecentToken = preparedStatement({
  name: 'webhooks.sender_tokens.recent',
  text: `select from webhooks.sender_tokens s
         where tenant_id = $1 and bot_id = $2 and address = $3 and created_at > now() - interval '24 hours'
           and not exists (select from webhooks.mail_threads t
             where t.tenant_id = s.tenant_id and t.thread_id = s.thread_id and t.chat_id is not null)
         limit 1`,
  values: ({ tenantId, botId, address }: Pick<SenderTokenRow, 'tenantId' | 'botId' | 'address'>) => [
    tenantId,
    botId,
    address,
  ],
  result: (rows) => rows.length > 0,
});

/** A link that has not expired, used or not. Searched across tenants, because a token names none. */
export async function findSenderToken(
  tx: PlatformTx,
  tokenHash: string,
): Promise<SenderTokenRow | undefined> {
  const [row] = await tx.db
    .select()
    .from(senderTokens)
    .where(and(eq(senderTokens.tokenHash, tokenHash), gt(senderTokens.expiresAt, sql`now()`)));
  return row;
}

/** Uses a link up: it then stays valid for 30 days. Returns `undefined` when it was used or has expired meanwhile. */
export async function takeSenderToken(
  tx: TenantTx,
  { tenantId, tokenHash }: Pick<SenderTokenRow, 'tenantId' | 'tokenHash'>,
): Promise<SenderTokenRow | undefined> {
  const [row] = await tx.db
    .update(senderTokens)
    .set({ usedAt: sql`now()`, expiresAt: sql`now() + interval '30 days'` })
    .where(
      and(
        ...[eq(senderTokens.tenantId, tenantId), eq(senderTokens.tokenHash, tokenHash)],
        ...[isNull(senderTokens.usedAt), gt(senderTokens.expiresAt, sql`now()`)],
      ),
    )
    .returning();
  return row;
}
