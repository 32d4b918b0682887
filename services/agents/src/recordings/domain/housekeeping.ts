import { withPlatform } from '@botyard/shared/db/database';
import { createPeriodic, type Periodic } from '@botyard/shared/work/periodic';
import { Resealer, type ResealerOptions } from '@botyard/shared/work/resealer';
import type { Deps } from '../deps.ts';
import { removeOldKeys, removeOldRecordings } from '../store/recordings.ts';
import { recordingKeyBinding } from './recording-keys.ts';

/** How long a recording is kept. */
const keptDays = 30;
/** A process seals with the same key for a day. */
const keptDaysOfKey = keptDays + 2;

/** Deletes recordings that are past their time, and keys that seal none any more. */
export function createRecordingEnds({ database, log }: Pick<Deps, 'database' | 'log'>): Periodic {
  return createPeriodic({
    name: 'recordings of turns',
    everyMs: 600_000,
    log,
    work: async (isStopped) => {
      const tidy = () =>
        withPlatform(database, 'recordings of turns', (tx) => removeOldRecordings(tx, keptDays));
      while (!isStopped() && (await tidy()) > 0);
      await withPlatform(database, 'keys of recordings', (tx) => removeOldKeys(tx, keptDaysOfKey));
    },
  });
}

/** Seals the keys of recordings anew after a rotation of `SECRETS_KEYS`. */
export const createKeyResealer = (options: Omit<ResealerOptions, 'columns'>): Resealer =>
  new Resealer({
    ...options,
    columns: [
      {
        table: 'agents.recording_keys',
        column: 'sealed_key',
        id: { column: 'key_id', type: 'uuid' },
        bindingColumns: ['tenant_id'],
        binding: ({ tenant_id: tenantId = '', key_id: keyId = '' }) => recordingKeyBinding(tenantId, keyId),
      },
    ],
  });
