import type { Database, PlatformTx } from '@botyard/shared/db/database';
import { and, desc, eq, ne, sql } from '@botyard/shared/db/drizzle';
import { v7 as uuidv7 } from 'uuid';
import { policyMigrations } from '../../store/authorization-schema.ts';
import { asOnlyInstance } from '../../store/only-instance.ts';

export type RunRow = typeof policyMigrations.$inferSelect;

const lockNumber = 7_305_482_914;
const isLive = ne(policyMigrations.state, 'rolledBack');

/** Runs `work` unless another instance is processing a run. */
export const asOnlyRunner = (database: Database, work: () => Promise<void>): Promise<boolean> =>
  asOnlyInstance(database, lockNumber, work);

/** Whether there is an unfinished run. */
export const isRunOpen =
  "exists (select from tenancy.policy_migrations where state <> 'rolledBack' and state <> 'executed')";

/** The run that is not rolled back: there is at most one. */
export async function getLiveRun(tx: PlatformTx): Promise<RunRow | undefined> {
  const [row] = await tx.db.select().from(policyMigrations).where(isLive);
  return row;
}

/** The current run, or else the last one that was rolled back. */
export async function getLatestRun(tx: PlatformTx): Promise<RunRow | undefined> {
  const [row] = await tx.db
    .select()
    .from(policyMigrations)
    .orderBy(desc(isLive), desc(policyMigrations.migrationId))
    .limit(1);
  return row;
}

/** Locks the current run: a change of its state waits for all holders. */
export async function lockLiveRun(tx: PlatformTx, strength: 'share' | 'update'): Promise<RunRow | undefined> {
  const [row] = await tx.db.select().from(policyMigrations).where(isLive).for(strength);
  return row;
}

/** Returns `undefined` when another one has begun meanwhile. */
export async function insertRun(tx: PlatformTx, startedBy: string): Promise<RunRow | undefined> {
  const [row] = await tx.db
    .insert(policyMigrations)
    .values({ migrationId: uuidv7(), state: 'executing', startedBy })
    .onConflictDoNothing()
    .returning();
  return row;
}

export async function saveRun(
  tx: PlatformTx,
  migrationId: string,
  change: Partial<Pick<RunRow, 'state' | 'finishedAt' | 'lastError'>>,
): Promise<void> {
  await tx.db.update(policyMigrations).set(change).where(eq(policyMigrations.migrationId, migrationId));
}

/** Ends the run, unless its state was changed meanwhile. */
export async function finishRun(
  tx: PlatformTx,
  { migrationId, state }: Pick<RunRow, 'migrationId' | 'state'>,
): Promise<void> {
  const end =
    state === 'executing'
      ? { state: 'executed' as const, finishedAt: sql`now()` }
      : { state: 'rolledBack' as const, rolledBackAt: sql`now()` };
  await tx.db
    .update(policyMigrations)
    .set({ ...end, lastError: null })
    .where(and(eq(policyMigrations.migrationId, migrationId), eq(policyMigrations.state, state)));
}
