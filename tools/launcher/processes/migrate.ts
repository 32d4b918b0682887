import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { MigrateOptions } from '@botyard/shared/db/migrate';
import { StartError } from '../../embedded/start-error.ts';

/** Runs in a thread of its own, so that the launcher doesn't keep the database libraries in memory afterwards. */
export async function migrate(options: MigrateOptions): Promise<void> {
  const worker = new Worker(new URL('./migrate-worker.ts', import.meta.url), { workerData: options });
  try {
    const [code] = await once(worker, 'exit');
    if (code !== 0) throw new Error(`exit code ${String(code)}`);
  } catch (error) {
    throw new StartError(`the migrations failed: ${(error as Error).message.split('\n')[0]}`);
  }
}
