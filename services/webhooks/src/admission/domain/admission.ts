import { HttpError } from '@botyard/shared/http/errors';
import { failpoint } from '@botyard/shared/service/failpoint';
import { CrowdThrottle } from '@botyard/shared/work/crowd-throttle';
import { Strain } from '@botyard/shared/work/strain';
import type { Deps } from '../../deps.ts';
import { admitDeliveries, type Delivery } from '../store/admission.ts';
import { Batcher } from './batcher.ts';

export type Verdict = 'accepted' | 'duplicate';

/** What became of a delivery; an ignored one is accepted all the same, and its reason counted. */
export type Received = { verdict: Verdict | 'ignored' | 'malformed'; reason?: string };

/**
 * Takes verified deliveries in. A promise that resolves means: committed durably, or a duplicate of something that
 * is. Publishing follows, and is not waited for (reliability, rule 1).
 */
export interface Admission {
  /** @throws HttpError 503 when the database doesn't answer, or not in time. */
  admit(delivery: Delivery): Promise<Verdict>;
  stop(): Promise<void>;
}

const maxBatch = 200;
/** Deliveries in a second that tenants who come in crowds have together, while the machine is strained and others are here. */
const slowestDeliveries = 30;
/** The platform has its answer within a second (P2), however many wait. */
const maxWaitMs = 700;

export function createAdmission({
  database,
  outbox,
  metrics,
}: Pick<Deps, 'database' | 'outbox' | 'metrics'>): Admission {
  const strain = new Strain(() => database.ping());
  strain.start();
  const throttle = new CrowdThrottle({
    work: 'deliveries',
    slowest: slowestDeliveries,
    maxWaitMs,
    strain,
    metrics,
  });
  const batcher = new Batcher<Delivery, Verdict>({
    maxBatch,
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
    admit: (delivery) => throttle.within(delivery.tenantId, () => batcher.add(delivery)),
    stop: async () => {
      throttle.stop();
      await strain.stop();
      await batcher.idle();
    },
  };
}
