import { HttpError } from '../http/errors.ts';
import { withoutSecrets } from '../log/without-secrets.ts';

/**
 * SQLSTATE classes and codes of a server that can't be used: it is shut down or shutting down, accepts no more
 * connections, refuses the login, lacks the database, or accepts no writes because it is no longer the primary.
 */
const unavailableStates = /^(08...|28...|3D000|57P0[1-5]|53...|25006)$/;
const networkCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
]);
const clientTexts =
  /Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|not queryable/;

interface PostgresError extends Error {
  code?: string;
  constraint?: string;
  column?: string;
}

/** The server answers but accepts no writes. */
export class ReadOnlyError extends Error {
  /** The server's own code. */
  readonly code = '25006';

  constructor() {
    super('it is read-only');
  }
}

/** 503: the server does not answer, or no connection was free in time. */
export class DatabaseAwayError extends HttpError {
  constructor(cause: unknown) {
    super(503, cause instanceof HttpError ? cause.message : 'the database does not answer', { cause });
  }
}

/** drizzle wraps the driver's error: finds the cause that has a code. */
export function rootOf(error: unknown): PostgresError | undefined {
  let current = error;
  while (current instanceof Error) {
    if ((current as PostgresError).code !== undefined || current.cause === undefined) return current;
    current = current.cause;
  }
  return undefined;
}

export function isConnectionFailure(error: unknown): boolean {
  if (error instanceof DatabaseAwayError) return true;
  const root = rootOf(error);
  if (!root) return false;
  if (root.code !== undefined) return unavailableStates.test(root.code) || networkCodes.has(root.code);
  return clientTexts.test(root.message);
}

/** Whether the error is a violation of the foreign key with this name: the referenced row doesn't exist. */
export function isForeignKeyViolation(error: unknown, constraint: string): boolean {
  const root = rootOf(error);
  return root?.code === '23503' && root.constraint === constraint;
}

/** The server can still read, and answers health checks. */
export const diskFull = '53100';

/** Timeouts of locks or statements, and deadlocks: a retry may well succeed. */
const contentionStates = new Set(['55P03', '57014', '40P01', '40001']);

export const isContention = (error: unknown): boolean => contentionStates.has(rootOf(error)?.code ?? '');

/** Lock conflicts: the work itself has no fault, and none of it was done. */
const lockStates = new Set(['55P03', '40P01', '40001']);

export const isLockConflict = (error: unknown): boolean => lockStates.has(rootOf(error)?.code ?? '');

/** Whether a column with this name got a null that it doesn't take. */
export function isNullOf(error: unknown, column: string): boolean {
  const root = rootOf(error);
  return root?.code === '23502' && root.column === column;
}

/** Whether the error is a violation of the unique constraint or index with this name. */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  const root = rootOf(error);
  return root?.code === '23505' && root.constraint === constraint;
}

/** The operator's remedy when the database fails with this. */
export function databaseRemedy(error: unknown): string {
  const code = rootOf(error)?.code ?? '';
  if (code.startsWith('28'))
    return "Give the role the password of this service's DATABASE_URL, or set DATABASE_URL to the role's and restart the service.";
  if (code === '25006')
    return 'Look whether Postgres has become a standby, or default_transaction_read_only is on; DATABASE_URL has to lead to the primary.';
  if (code === diskFull) return 'Free some space on the disk of Postgres, or give it a larger one.';
  if (code === '53300') return "Look in pg_stat_activity for what takes all of Postgres' connections.";
  return 'Look at Postgres, and at the host and database in DATABASE_URL.';
}

/** The error's text for operators, without secrets. */
export const reasonOfFailure = (error: unknown): string =>
  `Postgres can't be used: ${withoutSecrets(textOf(error))}`;

/** If several addresses of one name fail together, each has its own reason. */
const textOf = (error: unknown): string =>
  error instanceof AggregateError && error.errors.length > 0
    ? String(error.errors[0].message)
    : String((error as Error).message);
