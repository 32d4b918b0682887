import { type TenantTx, withTenant } from '@botyard/shared/db/database';
import { HttpError } from '@botyard/shared/http/errors';
import { failpoint } from '@botyard/shared/service/failpoint';
import type { Foundation } from '@botyard/shared/service/foundation';
import { Batcher } from '@botyard/shared/work/batcher';
import { NoisyTenantThrottle } from '@botyard/shared/work/noisy-tenant-throttle';
import type { Counter } from 'prom-client';
import { admitDeliveries, type Delivery } from '../store/admission.ts';

type Verdict = 'accepted' | 'duplicate';

/** The verdict on a delivery. An ignored one is also accepted, and its reason counted. */
export type Received = { verdict: Verdict | 'ignored' | 'malformed'; reason?: string };

/**
 * Admits verified deliveries. A promise resolves when the delivery is committed durably, or is a duplicate of a
 * committed one. Publishing follows and is not awaited (REQ-REL-1).
 */
export interface Admission {
  /** @throws HttpError 503 when the database doesn't answer, or not in time. */
  admit(delivery: Delivery): Promise<Verdict>;
  stop(): Promise<void>;
}

const maxBatch = 200;
/** Bounds the wait, so that the platform has its answer within a second (P2), however many deliveries wait. */
const maxWaitMs = 600;

export function createAdmission({
  database,
  outbox,
  metrics,
}: Pick<Foundation, 'database' | 'outbox' | 'metrics'>): Admission {
  const throttle = new NoisyTenantThrottle({ work: 'deliveries', maxWaitMs, metrics });
  const batcher = new Batcher<Delivery, Verdict>({
    maxBatch,
    ownerOf: ({ tenantId }) => tenantId,
    isOutage: (error) => error instanceof HttpError,
    write: async (deliveries) => {
      await failpoint('webhooks.admission.before-commit');
      const tenantIds = [...new Set(deliveries.map(({ tenantId }) => tenantId))];
      const admitted = await withTenant(
        database,
        tenantIds,
        (tx) => admitMessages({ outbox }, tx, deliveries, { isLast: true }),
        {
          plansOnce: true,
        },
      );
      await failpoint('webhooks.admission.after-commit');
      const fresh = new Set(admitted);
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

/** Admits deliveries in the caller's transaction. Returns those that are no duplicates. */
export async function admitMessages(
  { outbox }: Pick<Foundation, 'outbox'>,
  tx: TenantTx,
  deliveries: readonly Delivery[],
  { isLast = false }: { isLast?: boolean } = {},
): Promise<string[]> {
  const admitted = await admitDeliveries(tx, deliveries);
  if (isLast) tx.endsHere();
  await outbox.write(
    tx,
    admitted.map(({ event }) => event),
  );
  return admitted.map(({ deliveryId }) => deliveryId);
}

export const countDeliveries = (metrics: Foundation['metrics']): Counter<'verdict' | 'reason'> =>
  metrics.counter('webhook_deliveries_total', 'Deliveries by verdict', ['verdict', 'reason']);
