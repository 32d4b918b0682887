import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { MigrateOptions } from '@botyard/shared/db/migrate';
import { StartError } from '../../embedded/start-error.ts';
import { compileCacheIn } from './compile-cache.ts';

/** Runs the migrations in a thread, so that the launcher doesn't keep the database libraries in memory afterwards. */
export async function migrate(root: string, options: Omit<MigrateOptions, 'servicesDir'>): Promise<void> {
  const worker = new Worker(new URL('./migrate-worker.ts', import.meta.url), {
    workerData: { ...options, servicesDir: join(root, 'services') },
    // A thread doesn't inherit the compile cache.
    env: { ...process.env, NODE_COMPILE_CACHE: compileCacheIn(root) },
  });
  try {
    const [code] = await once(worker, 'exit');
    if (code !== 0) throw new Error(`exit code ${String(code)}`);
  } catch (error) {
    throw new StartError(`the migrations failed: ${(error as Error).message.split('\n')[0]}`);
  }
}
