import type { PlatformTx } from '@botyard/shared/db/database';

/** A process counts as dead so long after its last beat: its claims may be taken over. */
const livesSeconds = 8;
/** So long a process waits after its start, and after an outage that may have silenced others, too: they come back one by one. */
const waitsSeconds = 15;
/** A longer gap between two beats means that the database could not be reached, or that this process slept. */
const maxGapSeconds = 3;

/** A process that claims, and what it holds already, by its key. */
export interface Claimer {
  processId: string;
  held: readonly string[];
}

/**
 * The owner of mails that are queued as parts. It lives as long as any process of this release does, so that none of the
 * release before sends them, and ends with the last: then those do.
 */
export const ownerOfQueuedMails = '00000000-0000-4000-8000-000000000001';

/** Writes that a process lives. The commit needn't be durable: it is repeated every second. */
export async function saveBeat(tx: PlatformTx, processId: string): Promise<void> {
  await tx.query({
    name: 'webhooks.sender_processes.beat',
    text: `insert into webhooks.sender_processes as p (process_id, beat_at, steady_since, lives_until)
           select id, now(), now(), now() + interval '${livesSeconds} seconds'
           from unnest(array[$1, '${ownerOfQueuedMails}']::uuid[]) as u (id) order by id
           on conflict (process_id) do update set beat_at = now(), lives_until = excluded.lives_until,
             steady_since = case when p.beat_at < now() - interval '${maxGapSeconds} seconds' then now()
               else p.steady_since end`,
    values: [processId],
  });
}

/** Frees its claims for others at once. */
export async function deleteProcess(tx: PlatformTx, processId: string): Promise<void> {
  await tx.query({
    name: 'webhooks.sender_processes.delete',
    text: 'delete from webhooks.sender_processes where process_id = $1',
    values: [processId],
  });
}

/**
 * The condition that a row `q` of a queue may be claimed by a `Claimer`, for `fairQueue`: nobody holds it, or its lease
 * has ended and its owner is this process, which lost sight of it, or is dead. After an outage of the database, and after its
 * own start, a process waits for 15 s before it takes others for dead: they may not have been able to beat.
 */
export const isFreeToClaim = (key: string): string =>
  `(q.lease_until is null or (q.lease_until < now() and not (${key} = any ($held::text[])) and (q.owner = $processId::uuid
        or (not exists (select from webhooks.sender_processes p where p.process_id = q.owner and p.lives_until > now())
          and exists (select from webhooks.sender_processes p where p.process_id = $processId::uuid and p.lives_until > now()
            and p.steady_since < now() - interval '${waitsSeconds} seconds')))))`;

/**
 * The number of a claim, in SQL. It is drawn at random, and not counted up: a crash of the database may undo a claim
 * whose worker goes on, and must not give its number to the next one. It is negative, as no claim of the release before
 * is, which knows chats of one platform only: a trigger keeps it from claiming others.
 */
export const newFence = '-floor(random() * 9007199254740991)::bigint - 1';

export const claimerValues = ({ processId, held }: Claimer) => ({ processId, held });
