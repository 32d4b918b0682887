/** SQLSTATE classes and codes that mean: the server is gone, going, or takes no more connections. */
const unavailableStates = /^(08...|57P0[1-5]|53...)$/;
const networkCodes = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'ENOENT']);
const clientTexts =
  /Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|not queryable/;

interface PostgresError extends Error {
  code?: string;
  constraint?: string;
}

/** drizzle wraps the driver's error: walk to the one that has a code. */
function rootOf(error: unknown): PostgresError | undefined {
  let current = error;
  while (current instanceof Error) {
    if ((current as PostgresError).code !== undefined || current.cause === undefined) return current;
    current = current.cause;
  }
  return undefined;
}

export function isConnectionFailure(error: unknown): boolean {
  const root = rootOf(error);
  if (!root) return false;
  if (root.code !== undefined) return unavailableStates.test(root.code) || networkCodes.has(root.code);
  return clientTexts.test(root.message);
}

/** Whether the error is a violation of the foreign key with this name: what a row refers to is gone. */
export function isForeignKeyViolation(error: unknown, constraint: string): boolean {
  const root = rootOf(error);
  return root?.code === '23503' && root.constraint === constraint;
}

/** Locks or statements that took too long, deadlocks: the same work may well succeed when it is tried again. */
const contentionStates = new Set(['55P03', '57014', '40P01', '40001']);

export const isContention = (error: unknown): boolean => contentionStates.has(rootOf(error)?.code ?? '');

/** Others held what the work needs, or it gave way to them: nothing is wrong with the work itself, and none of it was done. */
const lockStates = new Set(['55P03', '40P01', '40001']);

export const isLockConflict = (error: unknown): boolean => lockStates.has(rootOf(error)?.code ?? '');

/** Whether the error is a violation of the unique constraint or index with this name. */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  const root = rootOf(error);
  return root?.code === '23505' && root.constraint === constraint;
}
