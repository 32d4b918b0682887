import type { Database, PlatformTx } from '@botyard/shared/db/database';
import { and, eq, sql } from '@botyard/shared/db/drizzle';
import { rowsOf } from '@botyard/shared/db/rows';
import { v7 as uuidv7 } from 'uuid';
import { asOnlyInstance } from '../../store/only-instance.ts';
import { restarts } from '../../store/restarts-schema.ts';

export type RestartRow = typeof restarts.$inferSelect;

const lockNumber = 7_305_482_915;

/** Runs `work` unless another instance is processing the rounds. */
export const asOnlyRestarter = (database: Database, work: () => Promise<void>): Promise<boolean> =>
  asOnlyInstance(database, lockNumber, work);

/** Returns `undefined` while a round of this service is running. */
export async function insertRestart(
  tx: PlatformTx,
  round: Pick<RestartRow, 'serviceName' | 'instances' | 'startedBy'>,
): Promise<RestartRow | undefined> {
  const [row] = await tx.db
    .insert(restarts)
    .values({ restartId: uuidv7(), state: 'running', ...round })
    .onConflictDoNothing()
    .returning();
  return row;
}

export const getLatestRestart = (tx: PlatformTx, serviceName: string): Promise<RestartRow | undefined> =>
  rowsOf(restarts, 'restartId').first(tx, { serviceName });

export const isRestartRunning = "exists (select from tenancy.restarts where state = 'running')";

/** At most one per service. */
export async function listRunningRestarts(tx: PlatformTx): Promise<RestartRow[]> {
  return await tx.db.select().from(restarts).where(eq(restarts.state, 'running')).orderBy(restarts.restartId);
}

export async function saveRestart(
  tx: PlatformTx,
  { restartId, instances, state, reason }: Pick<RestartRow, 'restartId' | 'instances' | 'state' | 'reason'>,
): Promise<void> {
  const finishedAt = state === 'running' ? null : sql`now()`;
  await tx.db
    .update(restarts)
    .set({ instances, state, reason, finishedAt })
    .where(and(eq(restarts.restartId, restartId), eq(restarts.state, 'running')));
}

/** Keeps only the last ones of each service. */
export async function pruneRestarts(tx: PlatformTx, keep: number): Promise<void> {
  await tx.query({
    name: 'tenancy.restarts.prune',
    text: `delete from tenancy.restarts r using (
             select restart_id, row_number() over (partition by service_name order by restart_id desc) as place
             from tenancy.restarts) ranked
           where r.restart_id = ranked.restart_id and ranked.place > $1 and r.state <> 'running'`,
    values: [keep],
  });
}
