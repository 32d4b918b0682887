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
 * Admits verified deliveries. A promise resolves when the deliveries are committed durably, or are duplicates of
 * committed ones. Publishing follows and is not awaited (REQ-REL-1).
 */
export interface Admission {
  /**
   * Admits deliveries of one tenant together: at least one, all of them or none.
   * @throws HttpError 503 when the database doesn't answer, or not in time.
   */
  admit(deliveries: readonly Delivery[]): Promise<Verdict[]>;
  stop(): Promise<void>;
}

/** Bodies that are admitted together. */
const maxBatch = 200;
/** Bounds the wait, so that the platform has its answer within a second (P2), however many deliveries wait. */
const maxWaitMs = 600;

export function createAdmission({
  database,
  outbox,
  metrics,
}: Pick<Foundation, 'database' | 'outbox' | 'metrics'>): Admission {
  const throttle = new NoisyTenantThrottle({ work: 'deliveries', maxWaitMs, metrics });
  const batcher = new Batcher<readonly Delivery[], Verdict[]>({
    maxBatch,
    ownerOf: tenantOf,
    isOutage: (error) => error instanceof HttpError,
    write: async (bodies) => {
      const deliveries = bodies.flat();
      await failpoint('webhooks.admission.before-commit');
      const tenantIds = deliveries.map(({ tenantId }) => tenantId);
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
      const verdictOf = ({ deliveryId }: Delivery) => (fresh.has(deliveryId) ? 'accepted' : 'duplicate');
      return bodies.map((body) => body.map(verdictOf));
    },
  });
  return {
    admit: (deliveries) => throttle.run(tenantOf(deliveries), () => batcher.add(deliveries)),
    stop: async () => {
      throttle.stop();
      await batcher.idle();
    },
  };
}

const tenantOf = (deliveries: readonly Delivery[]): string => deliveries[0]?.tenantId ?? '';

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
