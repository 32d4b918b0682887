import { withTenant } from '@botyard/shared/db/database';
import { HttpError } from '@botyard/shared/http/errors';
import { markChecked, nextFile } from '../store/files.ts';
import { stepJob } from '../store/jobs.ts';
import type { Work } from './jobs.ts';
import { readFile } from './objects.ts';

/** Reads every file as a restore would: its bytes, its checksum and each of its lines. */
export const checkFiles: Work = async ({ database, objects }, job, signal) => {
  const { tenantId } = job;
  let after = job.cursor;
  while (!signal.aborted) {
    const file = await withTenant(database, [tenantId], (tx) => nextFile(tx, tenantId, { after }));
    if (!file) return true;
    const fault = await readFile(objects, file).then(
      () => undefined,
      (error: unknown) => {
        if (error instanceof HttpError) throw error;
        return error instanceof Error ? error.message : String(error);
      },
    );
    const { fileId, messages, sizeBytes: bytes } = file;
    const isOurs = await withTenant(database, [tenantId], async (tx) => {
      if (fault === undefined) await markChecked(tx, file);
      const faults = fault === undefined ? [] : [{ fileId, fault }];
      return await stepJob(tx, job, { cursor: fileId, messages, files: 1, bytes, faults });
    });
    if (!isOurs) return false;
    after = fileId;
  }
  return false;
};
