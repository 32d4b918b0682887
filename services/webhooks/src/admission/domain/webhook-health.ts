import { poolFigures } from '@botyard/shared/db/pool-figures';
import type { Deps } from '../deps.ts';
import { type Backlog, measureBacklog } from '../store/backlog.ts';
import { type DeliveryCounts, DeliveryRate } from './delivery-rate.ts';

/** The public health of the webhooks. It reveals nothing about tenants. */
interface WebhookHealth {
  /** `down`: nothing can be admitted. `degraded`: deliveries are accepted, but their events wait for the bus. */
  status: 'ok' | 'degraded' | 'down';
  database: 'ok' | 'unavailable';
  bus: 'ok' | 'unavailable';
  /** Counts of the last minute, at the instance that answers the request. */
  deliveries: DeliveryCounts;
  /** How long the most overdue reply has waited to be sent. */
  oldestUnsentMs: number;
  /** How long the oldest committed event has waited for the bus. */
  oldestUnpublishedMs: number;
}

export interface WebhookHealthCheck {
  read(): Promise<WebhookHealth>;
  rate: DeliveryRate;
}

const rememberedMs = 1000;

/** Queries the database at most once a second for all callers, over the connections that are reserved for admission. */
export function createWebhookHealth(
  deps: Pick<Deps, 'admissionDatabase' | 'bus' | 'deliveriesCounted' | 'instance'>,
): WebhookHealthCheck {
  const rate = new DeliveryRate(deps.deliveriesCounted);
  deps.instance.watchesPool(() => poolFigures('admission', deps.admissionDatabase));
  let last: { at: number; health: Promise<WebhookHealth> } | undefined;
  const measure = async (): Promise<WebhookHealth> => {
    const backlog = await measureBacklog(deps.admissionDatabase).catch(() => null);
    return toHealth(backlog, deps.bus.isConnected, await rate.lastMinute());
  };
  return {
    rate,
    read: () => {
      if (!last || performance.now() - last.at >= rememberedMs)
        last = { at: performance.now(), health: measure() };
      return last.health;
    },
  };
}

function toHealth(backlog: Backlog | null, hasBus: boolean, deliveries: DeliveryCounts): WebhookHealth {
  return {
    status: backlog ? (hasBus ? 'ok' : 'degraded') : 'down',
    database: backlog ? 'ok' : 'unavailable',
    bus: hasBus ? 'ok' : 'unavailable',
    deliveries,
    oldestUnsentMs: Math.round(backlog?.unsentMs ?? 0),
    oldestUnpublishedMs: Math.round(backlog?.unpublishedMs ?? 0),
  };
}
