import { createDatabase, type Database, hangGraceMs } from '@botyard/shared/db/database';
import type { Log } from '@botyard/shared/log/log';
import type { WebhooksConfig } from '../../config.ts';

const minAcquireMs = 50;
/** Limits of a statement of admission, and of its wait for a lock. */
const timeouts = { statementTimeoutMs: 700, lockTimeoutMs: 400 };

/** A separate pool, so that other work can't delay a delivery (REQ-REL-9). */
export const createAdmissionDatabase = (config: WebhooksConfig, main: Database, log: Log): Database =>
  createDatabase({
    url: config.DATABASE_URL,
    applicationName: 'botyard-webhooks-admission',
    maxConnections: config.ADMISSION_MAX_CONNECTIONS,
    acquireTimeoutMs: Math.max(
      minAcquireMs,
      admissionBudgetMs(config) - timeouts.statementTimeoutMs - hangGraceMs,
    ),
    isUndivided: true,
    ...timeouts,
    sharesDiskWith: main,
    log,
  });

/**
 * A delivery is answered within 2 s (P4): waiting for a connection, running the statement and giving up on a hung
 * server take no longer than others wait for a connection alone.
 */
export const admissionBudgetMs = (config: WebhooksConfig): number => config.DATABASE_ACQUIRE_TIMEOUT_MS;
