import { withPlatform } from '@botyard/shared/db/database';
import { type CountedWarning, createCountedWarning } from '@botyard/shared/log/counted-warning';
import { withoutSecrets } from '@botyard/shared/log/without-secrets';
import { ClaimLoop } from '@botyard/shared/work/claim-loop';
import { FairScheduler } from '@botyard/shared/work/fair-scheduler';
import { NoisyTenantThrottle } from '@botyard/shared/work/noisy-tenant-throttle';
import { type Room, reserveRoom } from '@botyard/shared/work/room';
import { type ReleaseWhile, Semaphore } from '@botyard/shared/work/semaphore';
import type { Worker } from '@botyard/shared/work/worker';
import type { ClaimedConversation } from '../../conversations/store/claimed-conversation.ts';
import type { Deps } from '../deps.ts';
import {
  claimConversations,
  claimConversationsOfLone,
  countReadyConversations,
  isConversationDue,
  leaseSeconds,
  renewLease,
} from '../store/claims.ts';
import type { TurnToRun } from './begin-at-once.ts';
import { Stopping } from './failed-turn.ts';
import { runTurn } from './run-turn.ts';

const renewEveryMs = (leaseSeconds * 1000) / 3;

/**
 * The most turns of a process that aren't waiting for a model or a tool: with more of them each takes longer, and the
 * throughput doesn't grow.
 */
const maxTurnsAtWork = 8;

interface TurnWorker extends Worker {
  wake(inMs?: number): void;
  /** Returns `undefined` when the process currently has no room for more of the tenant's turns. */
  reserve(tenantId: string): Room<TurnToRun> | undefined;
}

/**
 * Processes conversations: one turn after another in each, many conversations concurrently (REQ-REL-4), with fair
 * shares for tenants (rule 9).
 *
 * Slots are for turns that wait for a model. Only a few turns do their own work at a time, fairly among tenants. The
 * lease is renewed while a turn runs, and the turn is abandoned if the lease is lost. Stopping releases everything
 * immediately, so that another instance continues and no person gets an apology because of a restart.
 */
export function createWorker(deps: Deps): TurnWorker {
  const stopping = new AbortController();
  const { database, log, metrics } = deps;
  deps.instance.watchesQueue('conversations', () =>
    withPlatform(database, 'queue depth', countReadyConversations),
  );
  const throttle = new NoisyTenantThrottle({ work: 'turns', metrics });
  const semaphore = new Semaphore(maxTurnsAtWork);
  const warnOfRenewal = createCountedWarning(log, 'a lease could not be renewed');
  const shares = new FairScheduler<TurnToRun>({
    slots: deps.config.AGENTS_MAX_CONCURRENT_TURNS,
    claim: (allotment) =>
      withPlatform(database, 'claim conversations', (tx) => claimConversations(tx, allotment), {
        isDurable: false,
        isOneRoundTrip: true,
      }),
    claimOfLone: (limit) =>
      withPlatform(database, 'claim conversations', (tx) => claimConversationsOfLone(tx, limit), {
        isDurable: false,
        isOneRoundTrip: true,
      }),
    log,
  });
  const loop = new ClaimLoop<TurnToRun>({
    name: 'turns',
    maxConcurrent: shares.maxAtOnce,
    claim: (limit) => shares.claim(limit),
    mayHaveLeft: () => shares.hasHeldBack,
    run: (conversation) =>
      holding({ ...deps, warnOfRenewal }, conversation, (lost) =>
        throttle.run(conversation.tenantId, (worked) =>
          semaphore.run(conversation.tenantId, (releaseSlotWhile) => {
            const releaseWhile: ReleaseWhile = (wait) => {
              worked();
              return releaseSlotWhile(wait);
            };
            const signal = AbortSignal.any([stopping.signal, lost]);
            return runTurn({ ...deps, releaseWhile }, conversation, signal);
          }),
        ),
      ).finally(() => shares.end(conversation)),
    log,
    stalls: deps.stalls,
  });
  deps.due.add({ name: 'turns', isDue: isConversationDue, wake: () => loop.wake() });
  return {
    start: () => loop.start(),
    stop: async () => {
      stopping.abort(new Stopping());
      throttle.stop();
      await loop.stop();
    },
    wake: (inMs) => (inMs ? loop.wakeIn(inMs) : loop.wake()),
    reserve: (tenantId) => reserveRoom({ shares, loop }, tenantId),
  };
}

async function holding(
  deps: Deps & { warnOfRenewal: CountedWarning },
  conversation: ClaimedConversation,
  work: (lost: AbortSignal) => Promise<void>,
): Promise<void> {
  const lost = new AbortController();
  const renewal = setInterval(() => {
    withPlatform(deps.database, 'renew lease', (tx) => renewLease(tx, conversation), {
      isDurable: false,
      isOneRoundTrip: true,
    })
      .then((isHeld) => {
        if (!isHeld) lost.abort(new Stopping());
      })
      .catch((error: unknown) => deps.warnOfRenewal(withoutSecrets(String(error))));
  }, renewEveryMs);
  try {
    await work(lost.signal);
  } finally {
    clearInterval(renewal);
  }
}
