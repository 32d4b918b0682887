import { withPlatform } from '@botyard/shared/db/database';
import type { Deps } from '../deps.ts';
import { countImages, type ImageCount, type ImageRow, listKeptImages } from '../store/images.ts';
import { countPending } from '../store/pending.ts';
import { getLatestRun, type RunRow } from '../store/runs.ts';
import { policyNames } from './policy-texts.ts';

export interface MigrationStatus {
  run: RunRow | null;
  pending: { edges: number; policies: number };
  /** The run's counts, by kind. */
  counts: readonly ImageCount[];
  keptRows: readonly ImageRow[];
}

const maxKeptRows = 100;

/** The current run, or else the last one that was rolled back, with the changes that executing would make now. */
export async function getMigrationStatus({ database }: Pick<Deps, 'database'>): Promise<MigrationStatus> {
  return await withPlatform(database, 'status of the migration', async (tx) => {
    const run = (await getLatestRun(tx)) ?? null;
    // A new run ignores one that was rolled back.
    const migrationId = run && run.state !== 'rolledBack' ? run.migrationId : null;
    return {
      run,
      pending: await countPending(tx, { migrationId, names: policyNames }),
      counts: run ? await countImages(tx, run.migrationId) : [],
      keptRows: run ? await listKeptImages(tx, run.migrationId, maxKeptRows) : [],
    };
  });
}
