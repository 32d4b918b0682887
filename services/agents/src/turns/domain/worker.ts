import { contextFrom, runInContext } from '@botyard/shared/tracing/context';
import { LeasedQueue } from '@botyard/shared/work/leased-queue/leased-queue';
import { NoisyTenantThrottle } from '@botyard/shared/work/noisy-tenant-throttle';
import { type ReleaseWhile, Semaphore } from '@botyard/shared/work/semaphore';
import type { Worker } from '@botyard/shared/work/worker';
import {
  type ConversationClaim,
  conversationQueue,
  toClaimed,
} from '../../conversations/store/claimed-conversation.ts';
import type { Deps } from '../deps.ts';
import { runTurn } from './run-turn.ts';

/**
 * The most turns of a process that aren't waiting for a model or a tool: with more of them each takes longer, and the
 * throughput doesn't grow.
 */
const maxTurnsAtWork = 8;

interface TurnWorker extends Worker {
  wake(inMs?: number): void;
}

/**
 * Processes conversations: one turn after another in each, many conversations concurrently (REQ-REL-4), with fair
 * shares for tenants (rule 9).
 *
 * Slots are for turns that wait for a model. Only a few turns do their own work at a time, fairly among tenants.
 * Stopping releases everything immediately, so that another instance continues and no person gets an apology because
 * of a restart.
 */
export function createWorker(deps: Deps): TurnWorker {
  const slots = deps.config.AGENTS_MAX_CONCURRENT_TURNS;
  const throttle = new NoisyTenantThrottle({ work: 'turns', metrics: deps.metrics });
  const semaphore = new Semaphore(maxTurnsAtWork);
  const queue: LeasedQueue<ConversationClaim> = new LeasedQueue(deps, {
    name: 'turns',
    table: conversationQueue,
    slots,
    share: slots / 5,
    // If a crash of the database undoes a claim, a conversation can be claimed twice with the same fence; `endTurns`
    // lets only one of the two end the turn.
    isDurable: false,
    depth: 'conversations',
    run: (claim, { signal }) => {
      const { tenantId } = claim;
      const conversation = toClaimed(claim);
      const context = contextFrom({});
      context.tenantId = tenantId;
      return throttle.run(tenantId, (worked) =>
        semaphore.run(tenantId, (releaseSlotWhile) => {
          const releaseWhile: ReleaseWhile = (wait) => {
            worked();
            return releaseSlotWhile(wait);
          };
          return runInContext(context, () => runTurn({ ...deps, releaseWhile }, conversation, signal));
        }),
      );
    },
  });
  return {
    start: () => queue.start(),
    stop: async () => {
      const stopped = queue.stop();
      throttle.stop();
      await stopped;
    },
    wake: (inMs) => queue.wake(inMs),
  };
}
