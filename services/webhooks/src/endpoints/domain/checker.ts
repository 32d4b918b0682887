import { setTimeout as wait } from 'node:timers/promises';
import { withPlatform, withTenant } from '@botyard/shared/db/database';
import { LeasedQueue } from '@botyard/shared/work/leased-queue/leased-queue';
import { createPeriodic } from '@botyard/shared/work/periodic';
import type { Worker } from '@botyard/shared/work/worker';
import type { Deps } from '../deps.ts';
import { beginCheck, checkQueue, markMoved, requestCheck } from '../store/webhook-checks.ts';
import { register, registeredBaseUrl } from './registrar.ts';

const callsApartMs = 1000;
/** Repeated, because an instance that is about to end may still have registered its old address. */
const markEveryMs = 30_000;

/**
 * Checks periodically where the platforms deliver, and registers webhooks again that are missing, refused here, or
 * registered for another address; at the start also integrations that were registered for another address of this
 * installation. It is slower than registering, and separate, so that registrations never wait for checks. Two calls for
 * one bot are a second apart.
 */
export function createChecker(deps: Deps): Worker & { wake(): void } {
  const { database, log, webhookCheckEveryMs } = deps;
  const queue = new LeasedQueue(deps, {
    name: 'webhook checks',
    table: checkQueue,
    slots: 4,
    run: async (endpoint) => {
      const answeredErrorAt = await withTenant(database, [endpoint.tenantId], (tx) =>
        beginCheck(tx, endpoint, webhookCheckEveryMs),
      );
      await register(deps, endpoint, { answeredErrorAt, pause: () => wait(callsApartMs) });
    },
  });
  let isStart = true;
  const marking = createPeriodic({
    name: 'moved webhooks',
    everyMs: markEveryMs,
    log,
    work: async () => {
      await withPlatform(database, 'moved webhooks', (tx) => markMoved(tx, registeredBaseUrl(deps), isStart));
      isStart = false;
      queue.wake();
    },
  });
  return {
    start: () => {
      queue.start();
      marking.start();
      marking.wake();
    },
    stop: async () => {
      await Promise.all([queue.stop(), marking.stop()]);
    },
    wake: () => queue.wake(),
  };
}

/** Checks an integration now. Resolves with `isKnown: false` if this service doesn't know it. */
export async function checkNow(
  { database, wakeChecker }: Pick<Deps, 'database' | 'wakeChecker'>,
  endpoint: { tenantId: string; integrationId: string },
): Promise<{ isKnown: boolean }> {
  return await withTenant(database, [endpoint.tenantId], async (tx) => {
    tx.afterCommit(wakeChecker);
    return { isKnown: await requestCheck(tx, endpoint) };
  });
}
