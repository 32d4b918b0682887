import { eventually } from './eventually.ts';
import type { ServiceHarness } from './service-harness.ts';

/**
 * Starts work that needs a named lock which another transaction holds, and resolves once it has missed the lock. The
 * work then tries again until the lock is free. Such work shows in no list of locks: its transaction is rolled back.
 */
export async function startAndMissLock<Result>(
  harness: ServiceHarness,
  work: () => Promise<Result>,
): Promise<{ working: Promise<Result> }> {
  const [clock] = await harness.asOwner<{ now: string }>('select clock_timestamp()::text as now');
  const working = work();
  await eventually('it misses the lock', async () => {
    const missed = await harness.asOwner(
      `select from pg_stat_activity where datname = current_database() and state = 'idle' and query = 'rollback'
         and state_change > $1::timestamptz`,
      [clock!.now],
    );
    return missed.length > 0;
  });
  return { working };
}
