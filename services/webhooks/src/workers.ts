import type { PlatformName } from '@botyard/contracts/http/platform';
import { Wakeup } from '@botyard/shared/work/wakeup';
import type { Worker } from '@botyard/shared/work/worker';
import { createWebhookHealth, type WebhookHealthCheck } from './admission/domain/webhook-health.ts';
import type { Deps } from './deps.ts';
import { createChecker } from './endpoints/domain/checker.ts';
import { createRegistrar } from './endpoints/domain/registrar.ts';
import { createRenewals } from './endpoints/domain/renewals.ts';
import { createResealer } from './endpoints/domain/resealer.ts';
import { createTenantPurge } from './erasure/domain/tenant-purge.ts';
import { createFileWorkers } from './files/domain/files.ts';
import { createHousekeeping } from './housekeeping/domain/housekeeping.ts';
import { createOverdueReplies } from './housekeeping/domain/overdue-replies.ts';
import { createMediaFetching } from './media/domain/media-fetching.ts';
import { createPolling } from './polling/domain/polling.ts';

/** One for each worker that other code wakes. */
export const createWakeups = () => ({
  sends: new Wakeup<[platform: PlatformName]>(),
  registrations: new Wakeup(),
  media: new Wakeup(),
  checks: new Wakeup(),
  purges: new Wakeup(),
});

export type Wakeups = ReturnType<typeof createWakeups>;

/** All background work of this service. */
export function createWorkers(
  deps: Deps,
  wakeups: Wakeups,
): {
  workers: Worker[];
  health: WebhookHealthCheck;
  polling: Worker | undefined;
  /** Starts no further sends, and polls no further updates. */
  drain: () => Promise<void>;
} {
  const { sending } = deps;
  const registrar = createRegistrar(deps);
  const checker = createChecker(deps);
  const mediaFetching = createMediaFetching(deps);
  const health = createWebhookHealth(deps);
  const polling = createPolling(deps);
  const tenantPurge = createTenantPurge(deps);
  wakeups.registrations.subscribe(registrar);
  wakeups.media.subscribe(mediaFetching);
  wakeups.checks.subscribe(checker);
  wakeups.purges.subscribe(tenantPurge);
  const workers = [
    ...[sending, registrar, checker, createRenewals(deps), health.rate, tenantPurge],
    ...[createHousekeeping(deps), createOverdueReplies(deps), createResealer(deps)],
    ...createFileWorkers(deps),
    mediaFetching,
    deps.texts,
    ...(polling ? [polling] : []),
    ...Object.values(deps.platforms).flatMap(({ workers = [] }) => workers),
  ];
  const drain = async () => {
    sending.drain();
    await polling?.stop();
  };
  return { workers, health, polling, drain };
}
