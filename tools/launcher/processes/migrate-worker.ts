import { workerData } from 'node:worker_threads';
import { type MigrateOptions, migrateAll } from '@botyard/shared/db/migrate';

await migrateAll(workerData as MigrateOptions);
