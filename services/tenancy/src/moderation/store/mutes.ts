import type { PageRequest } from '@botyard/contracts/http/page';
import { normalUserId } from '@botyard/contracts/http/platform';
import { platformNames } from '@botyard/contracts/platform-names';
import type { TenantTx } from '@botyard/shared/db/database';
import { and, eq, gt, isNull, lte, or, sql } from '@botyard/shared/db/drizzle';
import { rowsOf, translated } from '@botyard/shared/db/rows';
import { conflict, notFound } from '@botyard/shared/http/errors';
import { mutes } from '../../store/authorization-schema.ts';

export type MuteRow = typeof mutes.$inferSelect;

export interface MuteKey {
  tenantId: string;
  muteId: string;
}

const now = sql`now()`;
const stored = rowsOf(mutes, 'tenantId', 'muteId');
export const { get: getMute, update: updateMute, remove: deleteMute } = stored;

/**
 * @throws HttpError 404 when the bot is not the tenant's, 409 when the same mute exists. An expired one is replaced.
 */
export async function insertMute(tx: TenantTx, mute: Omit<MuteRow, 'createdAt'>): Promise<MuteRow> {
  const { muteId, reason, until, createdBy } = mute;
  const inserting = tx.db
    .insert(mutes)
    .values(mute)
    .onConflictDoUpdate({
      target: [mutes.tenantId, mutes.platform, mutes.platformUserId, mutes.botId],
      set: { muteId, reason, until, createdBy, createdAt: now },
      setWhere: lte(mutes.until, now),
    })
    .returning();
  const [row] = await translated(inserting, { mutes_of_bot: (cause) => notFound('bot', { cause }) });
  if (!row) throw conflict('this person is already muted');
  return row;
}

interface MuteFilter {
  botId?: string | undefined;
  platform?: MuteRow['platform'] | undefined;
  platformUserId?: string | undefined;
  withExpired: boolean;
}

/** Newest first, one more than the page's limit. */
export const listMutes = (
  tx: TenantTx,
  tenantId: string,
  { withExpired, botId, platform, platformUserId, ...page }: PageRequest & MuteFilter,
) =>
  stored.list(
    tx,
    { tenantId, botId, platform },
    page,
    and(
      withExpired ? undefined : or(isNull(mutes.until), gt(mutes.until, now)),
      platformUserId === undefined ? undefined : ofPerson(platformUserId),
    ),
  );

/** Each platform stores identifiers in its own form. */
const ofPerson = (platformUserId: string) =>
  or(
    ...platformNames.map((name) =>
      and(eq(mutes.platform, name), eq(mutes.platformUserId, normalUserId(name, platformUserId))),
    ),
  );

export const countMutes = (tx: TenantTx, tenantId: string) => stored.count(tx, { tenantId });

export async function deleteExpiredMutes(tx: TenantTx, tenantId: string): Promise<void> {
  await tx.db.delete(mutes).where(and(eq(mutes.tenantId, tenantId), lte(mutes.until, now)));
}
