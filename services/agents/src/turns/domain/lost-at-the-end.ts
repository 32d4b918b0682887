import { listRecentMessages } from '@botyard/contracts/events/webhook-requests';
import { ask } from '@botyard/shared/bus/requests';
import { withPlatform } from '@botyard/shared/db/database';
import { HttpError } from '@botyard/shared/http/errors';
import { createPeriodic } from '@botyard/shared/work/periodic';
import type { Worker } from '@botyard/shared/work/worker';
import type { z } from 'zod';
import type { Deps } from '../deps.ts';
import { listBehind } from '../store/missing.ts';
import { fetchKept, maxAtOnce } from './missing-messages.ts';

type Conversations = z.output<typeof listRecentMessages.response>['conversations'];
type LostDeps = Pick<Deps, 'database' | 'bus' | 'log' | 'wakeWorker' | 'outbox'>;

const lookEveryMs = 10_000;

/**
 * Finds messages whose events were lost and that no later message waits for. The webhooks service reports the last
 * position of each conversation. A message that isn't stored is fetched, provided that everything in the stream was
 * handled.
 */
export function createLostMessageWatch(deps: LostDeps): Worker {
  return createPeriodic({
    name: 'messages lost on their way',
    everyMs: lookEveryMs,
    log: deps.log,
    work: async (isStopped) => {
      try {
        await fetchLost(deps, isStopped);
      } catch (error) {
        // If the service is unavailable, the next run asks it again.
        if (!(error instanceof HttpError && error.status === 503)) throw error;
      }
    },
  });
}

async function fetchLost(deps: LostDeps, isStopped: () => boolean): Promise<void> {
  const { conversations } = await ask(deps.bus, listRecentMessages, {});
  const handled = conversations.length > 0 ? await handledOf(deps, conversations) : [];
  if (handled.length === 0) return;
  const behind = await withPlatform(deps.database, 'messages lost on their way', (tx) =>
    listBehind(tx, handled),
  );
  for (const { lastSeq, wantedSeq, ...conversation } of behind) {
    if (isStopped()) return;
    const count = Math.min(wantedSeq - lastSeq, maxAtOnce);
    const seqs = Array.from({ length: count }, (_none, index) => lastSeq + 1 + index);
    await fetchKept(deps, conversation, seqs);
  }
}

/** Conversations whose newest event was handled or has left the stream. Others still have messages on their way. */
async function handledOf({ bus }: LostDeps, conversations: Conversations): Promise<Conversations> {
  const stream = bus.names.stream('webhooks');
  const info = await bus.live().manager.consumers.info(stream, bus.service);
  if (info.num_pending === 0 && info.num_ack_pending === 0) return conversations;
  return conversations.filter(({ streamSeq }) => streamSeq <= info.ack_floor.stream_seq);
}
