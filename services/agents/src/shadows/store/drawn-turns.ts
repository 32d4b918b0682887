import type { PlatformTx, TenantTx } from '@botyard/shared/db/database';
import { and, eq, gt, sql } from '@botyard/shared/db/drizzle';
import { preparedStatement } from '@botyard/shared/db/prepared-statement';
import { columns, typedSql } from '@botyard/shared/db/typed-sql';
import { idSpan } from '../../conversations/store/id-span.ts';
import type { ReleaseKey, ReleaseRow } from '../../releases/store/releases.ts';
import { agentReleases, shadowAnswers } from '../../store/releases-schema.ts';
import { turns } from '../../store/schema.ts';

/** The running releases with a shadow. Tenants take turns. */
export async function listShadowReleases(tx: PlatformTx): Promise<ReleaseKey[]> {
  const { tenantId, releaseId, state, shadow } = agentReleases;
  return await tx.db
    .select({ tenantId, releaseId })
    .from(agentReleases)
    .where(and(eq(state, 'running'), gt(shadow, 0)))
    .orderBy(sql`row_number() over (partition by ${tenantId} order by ${releaseId})`);
}

/** The answers of a release, and those of the tenant that wait. */
export async function countDrawn(
  tx: TenantTx,
  { tenantId, releaseId }: ReleaseKey,
): Promise<{ ofRelease: number; waiting: number }> {
  const [ofRelease, waiting] = await Promise.all([
    tx.db.$count(
      shadowAnswers,
      and(eq(shadowAnswers.tenantId, tenantId), eq(shadowAnswers.releaseId, releaseId)),
    ),
    tx.db.$count(
      shadowAnswers,
      and(eq(shadowAnswers.tenantId, tenantId), sql`${shadowAnswers.readyAt} is not null`),
    ),
  ]);
  return { ofRelease, waiting };
}

/** The next turns of the live version during a release, oldest first. Reports of approved calls are none. */
export const listTurnsToDraw = preparedStatement({
  name: 'agents.shadows.turns_to_draw',
  text: typedSql`
    select ${columns({ turnId: turns.turnId })}
    from agents.turns
    where tenant_id = $tenantId
      and agent_id = $agentId
      and turn_id > $after::uuid
      and created_at >= $createdAt
      and agent_version <> $version
      and outcome in ('answered', 'apologized')
      and not exists (
        select from agents.tool_tickets ticket
        where ticket.tenant_id = turns.tenant_id and ticket.notice_id = any (turns.message_ids)
      )
    order by turn_id
    limit $limit`,
  values: ({ tenantId, agentId, version, createdAt, shadowedUntil }: ReleaseRow, limit: number) => {
    const { first } = idSpan({ from: createdAt });
    return { tenantId, agentId, version, createdAt, after: shadowedUntil ?? first!, limit };
  },
});

/** Adds drawn turns, and remembers the last one that was looked at. */
export async function insertDrawn(
  tx: TenantTx,
  { tenantId, releaseId }: ReleaseKey,
  { turnIds, until }: { turnIds: readonly string[]; until: string },
): Promise<void> {
  if (turnIds.length > 0)
    await tx.db
      .insert(shadowAnswers)
      .values(turnIds.map((turnId) => ({ tenantId, releaseId, turnId })))
      .onConflictDoNothing();
  await tx.db
    .update(agentReleases)
    .set({ shadowedUntil: until })
    .where(and(eq(agentReleases.tenantId, tenantId), eq(agentReleases.releaseId, releaseId)));
}
