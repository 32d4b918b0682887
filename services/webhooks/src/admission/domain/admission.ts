import { HttpError } from '@botyard/shared/http/errors';
import { failpoint } from '@botyard/shared/service/failpoint';
import { Batcher } from '@botyard/shared/work/batcher';
import { NoisyTenantThrottle } from '@botyard/shared/work/noisy-tenant-throttle';
import type { Deps } from '../../deps.ts';
import { admitDeliveries, type Delivery } from '../store/admission.ts';

export type Verdict = 'accepted' | 'duplicate';

/** The verdict on a delivery; an ignored one is accepted all the same, and its reason counted. */
export type Received = { verdict: Verdict | 'ignored' | 'malformed'; reason?: string };

/**
 * Takes verified deliveries in. A promise that resolves means: committed durably, or a duplicate of something that
 * is. Publishing follows, and is not waited for (REQ-REL-1).
 */
export interface Admission {
  /** @throws HttpError 503 when the database doesn't answer, or not in time. */
  admit(delivery: Delivery): Promise<Verdict>;
  stop(): Promise<void>;
}

const maxBatch = 200;
/** The platform has its answer within a second (P2), however many wait. */
const maxWaitMs = 600;

export function createAdmission({
  database,
  outbox,
  metrics,
}: Pick<Deps, 'database' | 'outbox' | 'metrics'>): Admission {
  const throttle = new NoisyTenantThrottle({ work: 'deliveries', maxWaitMs, metrics });
  const batcher = new Batcher<Delivery, Verdict>({
    maxBatch,
    ownerOf: ({ tenantId }) => tenantId,
    isOutage: (error) => error instanceof HttpError,
    write: async (deliveries) => {
      await failpoint('webhooks.admission.before-commit');
      const admitted = await admitDeliveries(database, deliveries);
      await failpoint('webhooks.admission.after-commit');
      outbox.publish(admitted.map(({ event }) => event));
      const fresh = new Set(admitted.map(({ deliveryId }) => deliveryId));
      return deliveries.map(({ deliveryId }) => (fresh.has(deliveryId) ? 'accepted' : 'duplicate'));
    },
  });
  return {
    admit: (delivery) => throttle.run(delivery.tenantId, () => batcher.add(delivery)),
    stop: async () => {
      throttle.stop();
      await batcher.idle();
    },
  };
}

export const countDeliveries = (metrics: Deps['metrics']): Deps['deliveriesCounted'] =>
  metrics.counter('webhook_deliveries_total', 'Deliveries by what became of them', ['verdict', 'reason']);
