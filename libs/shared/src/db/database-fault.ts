import pg from 'pg';
import { certificateFault, postgresSettings } from '../config/certificate-fault.ts';
import { isPooled } from '../config/postgres-url.ts';
import { connectionOptions } from './connection-options.ts';
import { text } from './expressions.ts';
import { databaseRemedy, reasonOfFailure } from './failures.ts';
import { askOn } from './own-connection.ts';
import { columns, typedSql } from './typed-sql.ts';

const withinMs = 3000;
/** Poolers either refuse a session's time limit or forget it. */
const askedTimeout = { ms: 4321, shown: '4321ms' };
const timeoutText = typedSql`select ${columns({ timeout: text("current_setting('statement_timeout')") })}`;
const behindPooler =
  'DATABASE_URL: a pooler such as PgBouncer is in between and drops time limits: add pgbouncer=true to the address';

/** The result of a server check: a `fault` of the settings ends the start; `away` doesn't. */
export type ServerFinding = { fault: string } | { away: string } | undefined;

/**
 * Checks the server. Finds one that can't be used, an invalid certificate, or a pooler that the address doesn't
 * declare.
 */
export async function findDatabase(address: string): Promise<ServerFinding> {
  const client = new pg.Client({
    ...connectionOptions(address),
    ...(isPooled(address) ? {} : { statement_timeout: askedTimeout.ms }),
    connectionTimeoutMillis: withinMs,
    query_timeout: withinMs,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    if (isPooled(address)) return undefined;
    const [found] = await askOn(client, timeoutText);
    return found?.timeout === askedTimeout.shown ? undefined : { fault: behindPooler };
  } catch (error) {
    if (/unsupported startup parameter/.test((error as Error).message)) return { fault: behindPooler };
    const fault = certificateFault(error, postgresSettings);
    return fault === undefined ? { away: `${reasonOfFailure(error)}. ${databaseRemedy(error)}` } : { fault };
  } finally {
    // A hung server doesn't answer the closing either.
    client.end().catch(() => undefined);
  }
}
