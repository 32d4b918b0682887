import { badRequest, unavailable } from '@botyard/shared/http/errors';
import { ThreadPool } from '@botyard/shared/work/thread-pool';
import { TaskError, TaskRefusal } from '@botyard/shared/work/thread-tasks';
import type { ParsedYaml, tasks } from './yaml-thread.ts';

/** A file of cases takes some tens of milliseconds. One that is made to be slow takes seconds. */
const timeoutMs = 1500;

/** Starts with the first text of the process, and ends when it is idle. */
const pool = new ThreadPool<typeof tasks>({
  file: new URL('./yaml-thread.ts', import.meta.url),
  maxMegabytes: 128,
  maxWaiting: 4,
});

/**
 * Parses a tenant's YAML outside the main loop, tenants in turn.
 * @throws HttpError 400 for what is not YAML or takes too long, 503 when too many texts of the tenant wait.
 */
export async function readYaml(tenantId: string, text: string): Promise<ParsedYaml> {
  try {
    return await pool.run('parse', text, { owner: tenantId, timeoutMs });
  } catch (error) {
    if (error instanceof TaskRefusal) throw badRequest(error.message);
    if (!(error instanceof TaskError)) throw error;
    if (error.fault === 'busy') throw unavailable('too many files are being read', { cause: error });
    throw badRequest('the YAML takes too long to read', { cause: error });
  }
}
