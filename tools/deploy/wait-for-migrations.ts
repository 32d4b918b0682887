import { setTimeout as pause } from 'node:timers/promises';
import { readConfig } from '@botyard/shared/config/config';
import { postgresUrl } from '@botyard/shared/config/postgres-url';
import { connectionOptions } from '@botyard/shared/db/connection-options';
import { hasMigrations } from '@botyard/shared/db/schema-version';
import pg from 'pg';
import { z } from 'zod';

const tryEveryMs = 1000;
const WaitConfig = z.object({ DATABASE_URL: postgresUrl });

interface WaitOptions {
  servicesDir: string;
  env: Readonly<Record<string, string | undefined>>;
}

/**
 * Waits until the database has the migrations that this version of the service needs. Logs each reason for waiting
 * once.
 */
export async function waitForMigrations(service: string, { servicesDir, env }: WaitOptions): Promise<void> {
  const { DATABASE_URL: address } = readConfig(WaitConfig, env);
  let said = '';
  for (;;) {
    const reason = await whatIsMissing(address, servicesDir, service);
    if (reason === undefined) return;
    if (reason !== said) console.log(`migrated: waiting: ${reason}`);
    said = reason;
    await pause(tryEveryMs);
  }
}

async function whatIsMissing(
  address: string,
  servicesDir: string,
  service: string,
): Promise<string | undefined> {
  const client = new pg.Client({ ...connectionOptions(address), connectionTimeoutMillis: 5000 });
  try {
    await client.connect();
    if (await hasMigrations(client, servicesDir, service)) return undefined;
    return `the database lacks migrations of ${service}; run the job \`migrate\` of this version`;
  } catch (error) {
    return `the database can't be queried: ${(error as Error).message}`;
  } finally {
    await client.end().catch(() => undefined);
  }
}
