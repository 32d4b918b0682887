import type { PlatformTx } from '@botyard/shared/db/database';

/** A process counts as dead this long after its last heartbeat. Then its claims may be taken over. */
const livesSeconds = 8;
/**
 * After its start, and after an outage that may have silenced others, a process waits this long, because the others
 * recover one by one.
 */
const waitsSeconds = 15;
/**
 * A longer gap between two heartbeats means that the database could not be reached, or that this process was suspended.
 */
const maxGapSeconds = 3;

/** Records that a process is alive. The commit needn't be durable, because it is repeated every second. */
export async function saveBeat(tx: PlatformTx, processId: string): Promise<void> {
  await tx.query({
    name: 'webhooks.sender_processes.beat',
    text: `insert into webhooks.sender_processes as p (process_id, beat_at, steady_since, lives_until)
           values ($1, now(), now(), now() + interval '${livesSeconds} seconds')
           on conflict (process_id) do update set beat_at = now(), lives_until = excluded.lives_until,
             steady_since = case when p.beat_at < now() - interval '${maxGapSeconds} seconds' then now()
               else p.steady_since end`,
    values: [processId],
  });
}

/** Frees the process's claims for others immediately. */
export async function deleteProcess(tx: PlatformTx, processId: string): Promise<void> {
  await tx.query({
    name: 'webhooks.sender_processes.delete',
    text: 'delete from webhooks.sender_processes where process_id = $1',
    values: [processId],
  });
}

const living = 'select from webhooks.sender_processes p where p.lives_until > now()';

/**
 * The condition that the process `$processId`, which holds the chats with the keys `$held`, may claim a chat `q` of a
 * `LeasedQueue`. It may if the chat has no lease, or if the lease has ended and its owner is dead or is this process,
 * which has lost track of the chat.
 *
 * After a database outage and after its own start, a process waits for 15 s before it counts others as dead, because
 * they may have been unable to beat.
 */
export const isFreeToClaim = `
  (q.lease_until is null or (q.lease_until < now() and not (q.bot_id || '/' || q.platform_chat_id = any ($held::text[])) and (
    q.owner = $processId::uuid
    or (
      not exists (${living} and p.process_id = q.owner)
      and exists (
        ${living}
          and p.process_id = $processId::uuid
          and p.steady_since < now() - interval '${waitsSeconds} seconds'
      )
    )
  )))`;

/**
 * The fence of a new claim, in SQL. It is random and not a counter: if a database crash undoes a claim whose worker
 * continues, the next claim must not get the same fence.
 *
 * It is negative, unlike those of the previous release, which knows chats of one platform only. A trigger keeps that
 * release from claiming others.
 */
export const newFence = '-floor(random() * 9007199254740991)::bigint - 1';
