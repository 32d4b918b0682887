import type { Metrics } from '../service/metrics.ts';
import { RestingGate } from './resting-gate.ts';

const averagedOverMs = 500;

/** Counts pieces of work in flight: now, and as an average of the last half second that favours recent values. */
class InFlightGauge {
  now = 0;
  #average = 0;
  #averagedAt = 0;

  change(by: number, at: number): void {
    this.averageAt(at);
    this.now += by;
  }

  averageAt(at: number): number {
    const passed = 1 - Math.exp((this.#averagedAt - at) / averagedOverMs);
    this.#average += (this.now - this.#average) * passed;
    this.#averagedAt = at;
    return this.#average;
  }
}

interface NoisyTenantThrottleOptions {
  /** The work's name in the metrics. */
  work: string;
  /** Longest delay of a piece; if unset, it waits for its turn. */
  maxWaitMs?: number;
  metrics: Pick<Metrics, 'counter'>;
}

/**
 * A tenant is noisy if it has more pieces than this in flight in this process, and this many times as many as all
 * others together.
 */
const minNoisyPieces = 16;
const timesOthers = 4;
/** A tenant counts as noisy this long afterwards. */
const noisyForMs = 2000;
/** A tenant counts as active this long after its last piece. */
const activeForMs = 10_000;

interface Tenant {
  inFlight: InFlightGauge;
  seenAt: number;
  noisyUntil: number;
}

/**
 * Without it, another tenant's slowest answers took 20 times as long beside a flood; with it, 3 times.
 *
 * Throttles a tenant that has far more work in flight than all others together (REQ-REL-9): while any other tenant is
 * active, its pieces start one after the other and use a fifth of the time. A tenant alone never waits, and neither
 * do several tenants with similar loads.
 */
export class NoisyTenantThrottle {
  readonly #gate: RestingGate;
  /** Active tenants, most recently seen last. */
  readonly #tenants = new Map<string, Tenant>();
  readonly #everybody = new InFlightGauge();
  readonly #countWait: () => void;
  #isStopped = false;

  constructor({ work, maxWaitMs, metrics }: NoisyTenantThrottleOptions) {
    this.#gate = new RestingGate(maxWaitMs);
    const help = 'Pieces of work that waited because their tenant had far more at once than all others';
    const waits = metrics.counter('throttled_work_total', help, ['work']);
    this.#countWait = () => waits.inc({ work });
  }

  /** The process stops: everything that waits starts, and nothing waits from now on. */
  stop(): void {
    this.#isStopped = true;
    this.#gate.flush();
  }

  /** @param work may call `worked` before its end, when it starts waiting for an external system such as a model. */
  async run<Result>(tenantId: string, work: (worked: () => void) => Promise<Result>): Promise<Result> {
    const tenant = this.#arrive(tenantId);
    let worked = () => {};
    try {
      if (this.#mustWait(tenant)) {
        this.#countWait();
        worked = await this.#gate.pass();
      }
      return await work(worked);
    } finally {
      worked();
      this.#count(tenant, -1, performance.now());
    }
  }

  #arrive(tenantId: string): Tenant {
    const seenAt = performance.now();
    const tenant = this.#tenants.get(tenantId) ?? { inFlight: new InFlightGauge(), seenAt, noisyUntil: 0 };
    this.#count(tenant, 1, seenAt);
    tenant.seenAt = seenAt;
    this.#tenants.delete(tenantId);
    this.#tenants.set(tenantId, tenant);
    this.#forgetGone(seenAt);
    return tenant;
  }

  #count(tenant: Tenant, by: number, now: number): void {
    tenant.inFlight.change(by, now);
    this.#everybody.change(by, now);
  }

  #mustWait(tenant: Tenant): boolean {
    const now = performance.now();
    if (this.#isStopped || !this.#isNoisy(tenant, now)) return false;
    if (this.#isAnotherActive(now)) return true;
    // No other tenant is active, so nothing has to wait.
    this.#gate.flush();
    return false;
  }

  #isAnotherActive(now: number): boolean {
    return this.#tenants
      .values()
      .some((other) => now - other.seenAt < activeForMs && !this.#isNoisy(other, now));
  }

  #isNoisy(tenant: Tenant, now: number): boolean {
    if (this.#outnumbers(tenant, now)) tenant.noisyUntil = now + noisyForMs;
    return tenant.noisyUntil > now;
  }

  /**
   * Compares both the current number and the average, so that a tenant as active as others isn't throttled when they
   * are briefly less active.
   */
  #outnumbers({ inFlight }: Tenant, now: number): boolean {
    const others = this.#everybody.now - inFlight.now;
    const othersLately = this.#everybody.averageAt(now) - inFlight.averageAt(now);
    return inFlight.now > Math.max(minNoisyPieces, timesOthers * Math.max(others, othersLately));
  }

  #forgetGone(now: number): void {
    for (const [tenantId, { inFlight, seenAt }] of this.#tenants) {
      if (now - seenAt < activeForMs) return;
      if (inFlight.now === 0) this.#tenants.delete(tenantId);
    }
  }
}
