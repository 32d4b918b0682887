import { createDatabase, type Database, hangGraceMs } from '@botyard/shared/db/database';
import type { Log } from '@botyard/shared/log/log';
import type { WebhooksConfig } from '../../config.ts';

/** A statement of admission, and a lock that it waits for. */
const timeouts = { statementTimeoutMs: 700, lockTimeoutMs: 400 };

/** A pool of its own: nothing else can keep a delivery waiting (REQ-REL-9). */
export const createAdmissionDatabase = (config: WebhooksConfig, main: Database, log: Log): Database =>
  createDatabase({
    url: config.DATABASE_URL,
    applicationName: 'botyard-webhooks-admission',
    maxConnections: config.ADMISSION_MAX_CONNECTIONS,
    acquireTimeoutMs: config.DATABASE_ACQUIRE_TIMEOUT_MS,
    ...timeouts,
    sharesDiskWith: main,
    log,
  });

/**
 * A delivery is answered within 2 s (P4). Waiting for a connection, the statement, and giving up a server that hangs
 * take 1.7 s together by default.
 */
export const admissionBudgetMs = (config: WebhooksConfig): number =>
  config.DATABASE_ACQUIRE_TIMEOUT_MS + timeouts.statementTimeoutMs + hangGraceMs;
