import { ThreadPool } from '@botyard/shared/work/thread-pool';
import { TaskError, TaskRefusal } from '@botyard/shared/work/thread-tasks';
import type { tasks } from './assertion-thread.ts';

/** An expression or a schema takes some milliseconds. One that is made to be slow takes years. */
const timeoutMs = 500;

/** Starts with the first check of the process, and ends when it is idle. */
const pool = new ThreadPool<typeof tasks>({
  file: new URL('./assertion-thread.ts', import.meta.url),
  maxMegabytes: 128,
});

/** The fault of the text, or `null` if the pattern matches it. @throws TaskError when too many checks wait. */
export async function faultOfMatch(tenantId: string, pattern: string, text: string): Promise<string | null> {
  return await inTime(async () => {
    const matches = await pool.run('matches', { pattern, text }, { owner: tenantId, timeoutMs });
    return matches ? null : 'the answer does not match the pattern';
  });
}

/** The fault of the value, or `null` if it fits the JSON Schema. @throws TaskError as `faultOfMatch`. */
export async function faultOfValue(
  tenantId: string,
  schema: Record<string, unknown>,
  value: unknown,
): Promise<string | null> {
  return await inTime(() => pool.run('faultOf', { schema, value }, { owner: tenantId, timeoutMs }));
}

async function inTime(check: () => Promise<string | null>): Promise<string | null> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof TaskRefusal) return error.message;
    if (!(error instanceof TaskError) || error.fault === 'busy') throw error;
    return 'the check takes too long';
  }
}
