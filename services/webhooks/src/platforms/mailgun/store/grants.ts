import type { PageRequest } from '@botyard/contracts/http/page';
import type { TenantTx } from '@botyard/shared/db/database';
import { and, eq, isNull, type SQL, sql } from '@botyard/shared/db/drizzle';
import { lockOrMiss } from '@botyard/shared/db/lock-named';
import { rowsOf } from '@botyard/shared/db/rows';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import { senderGrants } from '../../../store/mail-schema.ts';

export type GrantRow = typeof senderGrants.$inferSelect;
type NewGrant = Pick<GrantRow, 'tenantId' | 'grantId' | 'botId' | 'kind' | 'value' | 'grantedBy'>;

const stored = rowsOf(senderGrants, 'tenantId', 'grantId');

/** Processes of all versions use this text, so that they take the same lock. */
const botLockKey = "hashtextextended('email standing ' || $1::text, 0)";

/** Until the end of the transaction no grant of the bot changes, and no other transaction judges this sender. */
export const lockSenderOf = (tx: TenantTx, botId: string, sender: string): Promise<void> =>
  lockOrMiss(tx, `sender ${sender} of ${botId}`, {
    name: 'webhooks.sender_grants.lock_sender',
    locks: `pg_advisory_xact_lock_shared(${botLockKey}),
            pg_advisory_xact_lock(hashtextextended('email sender ' || $1::text || ' ' || $2::text, 0))`,
    values: [botId, sender],
  });

/**
 * Until the end of the transaction no other one judges a sender of the bot or changes its grants. Waits for
 * transactions that are judging. @throws HttpError 503 when they take too long.
 */
export const lockGrantsOf = (tx: TenantTx, botId: string): Promise<void> =>
  lockOrMiss(tx, `grants of ${botId}`, {
    name: 'webhooks.sender_grants.lock',
    locks: `pg_advisory_xact_lock(${botLockKey})`,
    values: [botId],
  });

interface SenderInThread {
  tenantId: string;
  botId: string;
  threadId: string;
  sender: string;
  domain: string;
}

const kindsText = typedSql`select distinct ${columns({ kind: senderGrants.kind })} from webhooks.sender_grants
  where tenant_id = $1 and bot_id = $2 and revoked_at is null
    and ((kind = 'sender' and value = $3) or (kind = 'group' and value = $4) or (kind = 'thread' and value = $5::text))`;

/** The kinds of active grants that admit a sender in a thread. */
export async function listGrantedKinds(tx: TenantTx, asked: SenderInThread): Promise<GrantRow['kind'][]> {
  const rows = await tx.query({
    name: 'webhooks.sender_grants.kinds',
    text: kindsText,
    values: [asked.tenantId, asked.botId, asked.sender, asked.domain, asked.threadId],
  });
  return rows.map(({ kind }) => kind);
}

/** `isNew` is false when the same address or admin had already granted it. The caller holds `lockGrantsOf`. */
export async function insertGrant(
  tx: TenantTx,
  grant: NewGrant,
): Promise<{ grant: GrantRow; isNew: boolean }> {
  const [made] = await tx.db.insert(senderGrants).values(grant).onConflictDoNothing().returning();
  if (made) return { grant: made, isNew: true };
  const { tenantId, botId, kind, value, grantedBy } = grant;
  const existingGrant = await stored.first(tx, { tenantId, botId, kind, value, grantedBy }, isLiving);
  if (!existingGrant) throw new Error('the grant was neither inserted nor found');
  return { grant: existingGrant, isNew: false };
}

export const countGrants = (tx: TenantTx, bot: { tenantId: string; botId: string }): Promise<number> =>
  tx.db.$count(senderGrants, and(isOfBot(bot), isLiving));

/** Active grants, newest first. */
export async function listGrants(
  tx: TenantTx,
  wanted: { tenantId: string; botId?: string | undefined } & Partial<Pick<GrantRow, 'grantedBy'>> & {
      kind?: GrantRow['kind'] | undefined;
    },
  page: PageRequest,
): Promise<GrantRow[]> {
  const { tenantId, botId, grantedBy, kind } = wanted;
  return await stored.list(tx, { tenantId, botId, grantedBy, kind }, page, isLiving);
}

export const findGrant = (tx: TenantTx, { tenantId, grantId }: Pick<GrantRow, 'tenantId' | 'grantId'>) =>
  stored.first(tx, { tenantId, grantId }, isLiving);

/** Returns whether it was active until now. */
export async function revokeGrant(tx: TenantTx, grant: GrantRow): Promise<boolean> {
  const rows = await tx.db
    .update(senderGrants)
    .set({ revokedAt: sql`now()` })
    .where(and(stored.matches(grant), isLiving))
    .returning({ grantId: senderGrants.grantId });
  return rows.length > 0;
}

const isLiving: SQL = isNull(senderGrants.revokedAt);
const isOfBot = ({ tenantId, botId }: { tenantId: string; botId: string }) =>
  and(eq(senderGrants.tenantId, tenantId), eq(senderGrants.botId, botId));
