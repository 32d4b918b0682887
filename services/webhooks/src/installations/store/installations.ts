import type { PlatformTx, TenantTx } from '@botyard/shared/db/database';
import { and, eq, gt, sql } from '@botyard/shared/db/drizzle';
import { installations } from '../../store/installations-schema.ts';

export type InstallationRow = typeof installations.$inferSelect;

/** Stores an installation that has begun. Returns the time until which it has to be allowed. */
export async function insertInstallation(
  tx: TenantTx,
  { seconds, ...installation }: Omit<InstallationRow, 'expiresAt'> & { seconds: number },
): Promise<Date> {
  const expiresAt = sql`now() + make_interval(secs => ${seconds})`;
  const [row] = await tx.db
    .insert(installations)
    .values({ ...installation, expiresAt })
    .returning({ expiresAt: installations.expiresAt });
  return row!.expiresAt;
}

/**
 * Takes an installation, which ends it: only one request gets it. Its state names it across tenants. Another browser
 * ends nothing.
 */
export async function takeInstallation(
  tx: PlatformTx,
  { stateHash, browserHash, platform }: Pick<InstallationRow, 'stateHash' | 'browserHash' | 'platform'>,
): Promise<InstallationRow | undefined> {
  const [row] = await tx.db
    .delete(installations)
    .where(
      and(
        eq(installations.stateHash, stateHash),
        eq(installations.browserHash, browserHash),
        eq(installations.platform, platform),
        gt(installations.expiresAt, sql`now()`),
      ),
    )
    .returning();
  return row;
}
