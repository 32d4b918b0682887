import { withPlatformRelaxed } from '@botyard/shared/db/database';
import type { Worker } from '@botyard/shared/service/foundation';
import { ClaimLoop } from '@botyard/shared/work/claim-loop';
import type { Deps } from '../../deps.ts';
import { type ClaimedConversation, claimConversations, leaseSeconds, renewLease } from '../../store/queue.ts';
import { runTurn, Stopping } from './run-turn.ts';

const pollEveryMs = 1000;
const renewEveryMs = (leaseSeconds * 1000) / 3;

export interface TurnWorker extends Worker {
  wake(inMs?: number): void;
}

/**
 * Works on conversations: strictly one turn after another in each, many conversations at once (reliability, rule 4).
 * A lease is renewed while a turn runs; when it is lost, the turn is given up. Stopping gives everything back at once,
 * so that another instance goes on and nobody gets an apology for our restart.
 */
export function createWorker(deps: Deps): TurnWorker {
  const stopping = new AbortController();
  const loop = new ClaimLoop<ClaimedConversation>({
    name: 'turns',
    maxConcurrent: deps.config.AGENTS_MAX_CONCURRENT_TURNS,
    pollEveryMs,
    claim: (limit) =>
      withPlatformRelaxed(deps.database, 'claim conversations', (tx) => claimConversations(tx, limit)),
    run: (conversation) => holding(deps, conversation, stopping.signal),
    log: deps.log,
  });
  return {
    start: () => loop.start(),
    stop: async () => {
      stopping.abort(new Stopping());
      await loop.stop();
    },
    wake: (inMs) => (inMs ? loop.wakeIn(inMs) : loop.wake()),
  };
}

async function holding(deps: Deps, conversation: ClaimedConversation, stopping: AbortSignal): Promise<void> {
  const lost = new AbortController();
  const renewal = setInterval(() => {
    withPlatformRelaxed(deps.database, 'renew lease', (tx) => renewLease(tx, conversation))
      .then((isHeld) => isHeld || lost.abort(new Stopping()))
      .catch((error: unknown) => deps.log.warn({ err: error }, 'a lease could not be renewed'));
  }, renewEveryMs);
  try {
    await runTurn(deps, conversation, AbortSignal.any([stopping, lost.signal]));
  } finally {
    clearInterval(renewal);
  }
}
