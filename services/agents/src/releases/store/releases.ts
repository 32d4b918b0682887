import type { PlatformTx, TenantTx } from '@botyard/shared/db/database';
import { and, asc, count, eq, gt, inArray, sql } from '@botyard/shared/db/drizzle';
import { rowsOf, translated } from '@botyard/shared/db/rows';
import { conflict } from '@botyard/shared/http/errors';
import { v7 as uuidv7 } from 'uuid';
import { agentDefinitions } from '../../store/definitions-schema.ts';
import { sessionOutcomes } from '../../store/outcomes-schema.ts';
import { agentReleases, releaseChanges, releaseSessions } from '../../store/releases-schema.ts';

export type ReleaseRow = typeof agentReleases.$inferSelect;
export type ReleaseKey = Pick<ReleaseRow, 'tenantId' | 'releaseId'>;
type ChangeRow = typeof releaseChanges.$inferSelect;

const stored = rowsOf(agentReleases, 'tenantId', 'releaseId');
export const { lock: lockRelease, list: listReleases } = stored;

export async function getRelease(
  tx: TenantTx,
  { agentId, ...key }: ReleaseKey & { agentId: string },
): Promise<ReleaseRow | undefined> {
  const row = await stored.get(tx, key);
  return row?.agentId === agentId ? row : undefined;
}

/** Starts a release of an agent. @throws HttpError 409 while another one of the agent runs. */
export async function insertRelease(
  tx: TenantTx,
  row: Pick<
    ReleaseRow,
    'tenantId' | 'agentId' | 'version' | 'share' | 'shadow' | 'steps' | 'rules' | 'createdBy'
  >,
): Promise<ReleaseRow> {
  const inserting = tx.db
    .insert(agentReleases)
    .values({ ...row, releaseId: uuidv7() })
    .returning();
  const [release] = await translated(inserting, {
    agent_releases_one_running: (cause) =>
      conflict('another release of the agent is running: withdraw or promote it first', { cause }),
  });
  await nameRelease(tx, release!, release!.releaseId);
  return release!;
}

/** Ends a running release, so that no turn reads its candidate any more. */
export async function endRelease(
  tx: TenantTx,
  release: ReleaseRow,
  end: Pick<ReleaseRow, 'state' | 'share' | 'reason'>,
): Promise<void> {
  await stored.update(tx, release, { ...end, endedAt: sql`now()` });
  await nameRelease(tx, release, null);
}

/** The running releases. Tenants take turns, so that one with many delays no other one. */
export async function listRunningReleases(tx: PlatformTx): Promise<ReleaseKey[]> {
  const { tenantId, releaseId, state } = agentReleases;
  return await tx.db
    .select({ tenantId, releaseId })
    .from(agentReleases)
    .where(eq(state, 'running'))
    .orderBy(sql`row_number() over (partition by ${tenantId} order by ${releaseId})`);
}

/** Saves what the rules have counted. */
export async function saveProgress(
  tx: TenantTx,
  release: ReleaseKey,
  progress: ReleaseRow['progress'],
): Promise<void> {
  await stored.update(tx, release, { progress });
}

export async function saveShare(tx: TenantTx, release: ReleaseKey, share: number): Promise<void> {
  await stored.update(tx, release, { share });
}

/**
 * The candidate's sessions since the last step of a release that are this old, and the hours since that step, which
 * decide whether the next step is taken.
 */
export async function sinceLastStep(
  tx: TenantTx,
  { tenantId, releaseId }: ReleaseKey,
  minutes: number,
): Promise<{ sessions: number; hours: number }> {
  const [row] = await tx.db
    .select({
      sessions: sql<number>`(
        select count(*)::int
        from ${releaseSessions} s
        where s.tenant_id = ${tenantId} and s.release_id = ${releaseId} and s.is_candidate
          and s.began_at >= max(${releaseChanges.createdAt})
          and s.began_at <= now() - make_interval(mins => ${minutes})
      )`,
      hours: sql<number>`extract(epoch from now() - max(${releaseChanges.createdAt}))::float8 / 3600`,
    })
    .from(releaseChanges)
    .where(and(eq(releaseChanges.tenantId, tenantId), eq(releaseChanges.releaseId, releaseId)));
  return row!;
}

/** The release that turns of the agent read. */
async function nameRelease(
  tx: TenantTx,
  { tenantId, agentId }: Pick<ReleaseRow, 'tenantId' | 'agentId'>,
  releaseId: string | null,
): Promise<void> {
  await tx.db
    .update(agentDefinitions)
    .set({ releaseId })
    .where(and(eq(agentDefinitions.tenantId, tenantId), eq(agentDefinitions.id, agentId)));
}

export async function insertChange(
  tx: TenantTx,
  change: Omit<ChangeRow, 'changeId' | 'createdAt'>,
): Promise<void> {
  await tx.db.insert(releaseChanges).values({ ...change, changeId: uuidv7() });
}

interface SideAverages {
  costMicroUsd: number | null;
  durationMs: number | null;
}

/** A release with every step, and the number, costs and times of its sessions. */
export type WholeRelease = ReleaseRow & {
  changes: ChangeRow[];
  sessions: { candidate: number; live: number };
  averages: { candidate: SideAverages; live: SideAverages };
};

export async function withChanges(
  tx: TenantTx,
  tenantId: string,
  releases: readonly ReleaseRow[],
): Promise<WholeRelease[]> {
  const ids = releases.map(({ releaseId }) => releaseId);
  const [changes, sides] = await Promise.all([
    tx.db
      .select()
      .from(releaseChanges)
      .where(and(eq(releaseChanges.tenantId, tenantId), inArray(releaseChanges.releaseId, ids)))
      .orderBy(asc(releaseChanges.changeId)),
    listSides(tx, tenantId, ids),
  ]);
  return releases.map((release) => {
    const sideOf = (isCandidate: boolean) =>
      sides.find((side) => side.releaseId === release.releaseId && side.isCandidate === isCandidate);
    const [candidate, live] = [sideOf(true), sideOf(false)];
    return {
      ...release,
      changes: changes.filter((change) => change.releaseId === release.releaseId),
      sessions: { candidate: candidate?.sessions ?? 0, live: live?.sessions ?? 0 },
      averages: { candidate: averagesOf(candidate), live: averagesOf(live) },
    };
  });
}

const averagesOf = (side?: SideAverages): SideAverages => ({
  costMicroUsd: side?.costMicroUsd ?? null,
  durationMs: side?.durationMs ?? null,
});

/** The sessions of both sides of releases. Those without a decided outcome have no cost or time yet. */
const listSides = (tx: TenantTx, tenantId: string, releaseIds: readonly string[]) => {
  const { releaseId, isCandidate, sessionId } = releaseSessions;
  const { costMicroUsd, durationMs, turns } = sessionOutcomes;
  return tx.db
    .select({
      releaseId,
      isCandidate,
      sessions: count(),
      costMicroUsd: sql<number | null>`avg(${costMicroUsd})::float8`,
      durationMs: sql<number | null>`avg(${durationMs})::float8`,
    })
    .from(releaseSessions)
    .innerJoin(
      agentReleases,
      and(eq(agentReleases.tenantId, tenantId), eq(agentReleases.releaseId, releaseId)),
    )
    .leftJoin(
      sessionOutcomes,
      and(
        eq(sessionOutcomes.tenantId, tenantId),
        eq(sessionOutcomes.sessionId, sessionId),
        eq(sessionOutcomes.agentId, agentReleases.agentId),
        gt(turns, 0),
      ),
    )
    .where(and(eq(releaseSessions.tenantId, tenantId), inArray(releaseId, [...releaseIds])))
    .groupBy(releaseId, isCandidate);
};
