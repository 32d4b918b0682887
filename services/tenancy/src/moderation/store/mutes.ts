import type { PageRequest } from '@botyard/contracts/http/page';
import type { TenantTx } from '@botyard/shared/db/database';
import { and, desc, eq, gt, isNull, lt, lte, or, sql } from '@botyard/shared/db/drizzle';
import { isForeignKeyViolation } from '@botyard/shared/db/failures';
import { conflict, notFound } from '@botyard/shared/http/errors';
import { mutes } from '../../store/authorization-schema.ts';

export type MuteRow = typeof mutes.$inferSelect;
export type MuteChange = Partial<Pick<MuteRow, 'reason' | 'until'>>;

export interface MuteKey {
  tenantId: string;
  muteId: string;
}

const now = sql`now()`;
const matches = (key: MuteKey) => and(eq(mutes.tenantId, key.tenantId), eq(mutes.muteId, key.muteId));

/** @throws HttpError 404 when the bot is not the tenant's, 409 when the same mute stands; an expired one is replaced. */
export async function insertMute(tx: TenantTx, mute: Omit<MuteRow, 'createdAt'>): Promise<MuteRow> {
  const { muteId, reason, until, createdBy } = mute;
  try {
    const [row] = await tx.db
      .insert(mutes)
      .values(mute)
      .onConflictDoUpdate({
        target: [mutes.tenantId, mutes.platform, mutes.platformUserId, mutes.botId],
        set: { muteId, reason, until, createdBy, createdAt: now },
        setWhere: lte(mutes.until, now),
      })
      .returning();
    if (!row) throw conflict('this person is muted already', { code: 'already_exists' });
    return row;
  } catch (error) {
    if (!isForeignKeyViolation(error, 'mutes_of_bot')) throw error;
    throw notFound('bot', { cause: error });
  }
}

export async function getMute(tx: TenantTx, key: MuteKey): Promise<MuteRow | undefined> {
  const [row] = await tx.db.select().from(mutes).where(matches(key));
  return row;
}

export interface MuteFilter {
  botId?: string | undefined;
  platform?: MuteRow['platform'] | undefined;
  platformUserId?: string | undefined;
  withExpired: boolean;
}

/** Newest first, one more than the page's limit. */
export async function listMutes(
  tx: TenantTx,
  tenantId: string,
  { before, limit, ...filter }: PageRequest & MuteFilter,
): Promise<MuteRow[]> {
  return await tx.db
    .select()
    .from(mutes)
    .where(
      and(
        eq(mutes.tenantId, tenantId),
        filter.botId ? eq(mutes.botId, filter.botId) : undefined,
        filter.platform ? eq(mutes.platform, filter.platform) : undefined,
        filter.platformUserId ? eq(mutes.platformUserId, filter.platformUserId) : undefined,
        filter.withExpired ? undefined : or(isNull(mutes.until), gt(mutes.until, now)),
        before ? lt(mutes.muteId, before) : undefined,
      ),
    )
    .orderBy(desc(mutes.muteId))
    .limit(limit + 1);
}

export async function updateMute(
  tx: TenantTx,
  key: MuteKey,
  change: MuteChange,
): Promise<MuteRow | undefined> {
  if (Object.keys(change).length === 0) return await getMute(tx, key);
  const [row] = await tx.db.update(mutes).set(change).where(matches(key)).returning();
  return row;
}

/** `false` when there was none. */
export async function deleteMute(tx: TenantTx, key: MuteKey): Promise<boolean> {
  const rows = await tx.db.delete(mutes).where(matches(key)).returning({ muteId: mutes.muteId });
  return rows.length > 0;
}

export async function countMutes(tx: TenantTx, tenantId: string): Promise<number> {
  return await tx.db.$count(mutes, eq(mutes.tenantId, tenantId));
}

export async function deleteExpiredMutes(tx: TenantTx, tenantId: string): Promise<void> {
  await tx.db.delete(mutes).where(and(eq(mutes.tenantId, tenantId), lte(mutes.until, now)));
}
