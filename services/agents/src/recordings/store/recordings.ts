import type { PlatformTx, TenantTx } from '@botyard/shared/db/database';
import { and, eq } from '@botyard/shared/db/drizzle';
import { recordingKeys, turnRecordings } from '../../store/recordings-schema.ts';

type RecordingRow = typeof turnRecordings.$inferSelect;

/** The sealed recording of a turn, with its sealed key. */
export async function getRecording(
  tx: TenantTx,
  { tenantId, turnId }: Pick<RecordingRow, 'tenantId' | 'turnId'>,
): Promise<(RecordingRow & { sealedKey: string }) | undefined> {
  const [row] = await tx.db
    .select({ recording: turnRecordings, sealedKey: recordingKeys.sealedKey })
    .from(turnRecordings)
    .innerJoin(
      recordingKeys,
      and(eq(recordingKeys.tenantId, turnRecordings.tenantId), eq(recordingKeys.keyId, turnRecordings.keyId)),
    )
    .where(and(eq(turnRecordings.tenantId, tenantId), eq(turnRecordings.turnId, turnId)));
  return row && { ...row.recording, sealedKey: row.sealedKey };
}

const batchSize = 1000;

/** Returns how many recordings were removed. */
export const removeOldRecordings = (tx: PlatformTx, days: number): Promise<number> =>
  tx.count({
    name: 'agents.recordings.remove_old',
    text: `delete from agents.turn_recordings where (tenant_id, turn_id) in (
             select tenant_id, turn_id from agents.turn_recordings
             where created_at < now() - make_interval(days => $1)
             limit ${batchSize})
           returning 1`,
    values: [days],
  });

export const removeOldKeys = (tx: PlatformTx, days: number): Promise<number> =>
  tx.count({
    name: 'agents.recording_keys.remove_old',
    text: 'delete from agents.recording_keys where created_at < now() - make_interval(days => $1) returning 1',
    values: [days],
  });
