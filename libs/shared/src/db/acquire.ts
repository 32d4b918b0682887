import type pg from 'pg';
import type { Lanes } from './lanes.ts';

/** A database that is absent shows within 2 s (P4), and one that answers may be busy for as long. */
export const defaultAcquireTimeoutMs = 1900;

/** The caller's turn and the connection together take at most `timeoutMs`. */
export async function acquireInTurn(
  { pool, lanes, timeoutMs }: { pool: pg.Pool; lanes: Lanes; timeoutMs: number },
  owner: string,
): Promise<pg.PoolClient> {
  const beganAt = performance.now();
  const leave = await lanes.enter(owner, timeoutMs);
  try {
    const client = await acquireWithin(pool, { timeoutMs, beganAt });
    const release = client.release;
    client.release = (error) => {
      release(error);
      leave();
    };
    return client;
  } catch (error) {
    leave();
    throw error;
  }
}

/** A connection that is ready after its caller's time limit is kept for the next caller. */
async function acquireWithin(
  pool: pg.Pool,
  { timeoutMs, beganAt }: { timeoutMs: number; beganAt: number },
): Promise<pg.PoolClient> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const connecting = pool.connect();
  const leftMs = timeoutMs - (performance.now() - beganAt);
  const timer = setTimeout(() => {
    connecting.then((client) => client.release()).catch(() => undefined);
    reject(new Error(`no database connection is free within ${timeoutMs} ms`));
  }, leftMs);
  try {
    return await Promise.race([connecting, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
