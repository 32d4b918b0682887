import { setTimeout as wait } from 'node:timers/promises';
import { withPlatform, withTenant } from '@botyard/shared/db/database';
import { ClaimLoop } from '@botyard/shared/work/claim-loop';
import type { Deps } from '../../deps.ts';
import type { EndpointRow } from '../store/endpoints.ts';
import {
  claimChecks,
  getAnsweredErrorAt,
  isCheckDue,
  markMoved,
  requestCheck,
} from '../store/webhook-checks.ts';
import { register, registeredBaseUrl } from './registrar.ts';

const maxConcurrent = 4;
const callsApartMs = 1000;
/** Repeated, because an instance that is about to end may still have registered its old address. */
const markEveryMs = 30_000;

/**
 * Checks periodically where the platforms deliver, and registers webhooks again that are missing, refused here, or
 * registered for another address; at the start also integrations that were registered for another address of this
 * installation. It is slower than registering, and separate, so that registrations never wait for checks. Two calls for
 * one bot are a second apart.
 */
export function createChecker(deps: Deps): ClaimLoop<EndpointRow> {
  let markedAt: number | undefined;
  const loop = new ClaimLoop<EndpointRow>({
    name: 'webhook checks',
    maxConcurrent,
    claim: (limit) =>
      withPlatform(deps.database, 'claim webhook checks', async (tx) => {
        const now = performance.now();
        if (markedAt === undefined || now - markedAt >= markEveryMs) {
          await markMoved(tx, registeredBaseUrl(deps), markedAt === undefined);
          tx.afterCommit(() => {
            markedAt = now;
          });
        }
        return await claimChecks(tx, limit, deps.webhookCheckEveryMs);
      }),
    run: async (endpoint) => {
      const answeredErrorAt = await withTenant(deps.database, [endpoint.tenantId], (tx) =>
        getAnsweredErrorAt(tx, endpoint),
      );
      await register(deps, endpoint, { answeredErrorAt, pause: () => wait(callsApartMs) });
    },
    log: deps.log,
    stalls: deps.stalls,
  });
  deps.due.add({ name: 'webhook checks', isDue: isCheckDue, wake: () => loop.wake() });
  return loop;
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
