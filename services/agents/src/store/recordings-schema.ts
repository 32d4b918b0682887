import { createdAt } from '@botyard/shared/db/columns';
import { index, text, uniqueIndex, uuid } from '@botyard/shared/db/drizzle';
import { belongsTo } from './belongs-to.ts';
import { tenantTable, turns } from './schema.ts';

/** The keys that seal a tenant's recordings, each sealed by `SECRETS_KEYS`. A process makes one a day for a tenant. */
export const recordingKeys = tenantTable(
  'recording_keys',
  ['keyId'],
  {
    keyId: uuid('key_id').notNull(),
    sealedKey: text('sealed_key').notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex('recording_keys_by_id').on(table.keyId),
    index('recording_keys_by_age').on(table.createdAt),
  ],
);

/** Everything that turns used, whole and sealed. A turn that used nothing has none. */
export const turnRecordings = tenantTable(
  'turn_recordings',
  ['turnId'],
  {
    turnId: uuid('turn_id').notNull(),
    keyId: uuid('key_id').notNull(),
    sealedRecording: text('sealed_recording').notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    belongsTo('turn_recordings_of_turn', table, turns, { turnId: 'turnId' }),
    index('turn_recordings_by_age').on(table.createdAt),
  ],
);
