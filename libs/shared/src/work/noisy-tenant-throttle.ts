import type { Metrics } from '../service/metrics.ts';
import { InFlightGauge } from './in-flight-gauge.ts';
import type { LoadProbe } from './load-probe.ts';

export interface NoisyTenantThrottleOptions {
  load: Pick<LoadProbe, 'isHigh' | 'watch'>;
  /** Pieces of work of all noisy tenants that begin in a second, however overloaded the machine is. */
  slowest: number;
  /** No piece waits longer than this plus one tick. */
  maxWaitMs?: number;
  /** What the work is called in the metrics. */
  work: string;
  metrics: Pick<Metrics, 'counter'>;
}

/** A tenant is noisy with more pieces in flight in this process, and this many times as many as all others together. */
const minNoisyPieces = 16;
const timesOthers = 4;
/** It counts as noisy this long afterwards. */
const noisyForMs = 2000;
/** A tenant counts as active this long after its last piece. */
const hereForMs = 10_000;
/** Pieces begin in groups: deliveries then share a commit, which costs the others less. */
const tickMs = 150;
const slower = 0.5;
const faster = 1.12;
/** The pace grows slowly near the one that last overloaded the machine. */
const carefully = 1.01;
const near = { from: 0.6, to: 1.2 };
const fastest = 2000;
/** Overload that stays at the slowest pace has another cause: throttling is off for a while then. */
const futileAfterMs = 5000;
const offForMs = 30_000;

interface Waiting {
  begin: () => void;
  since: number;
}

interface Tenant {
  underWay: InFlightGauge;
  seenAt: number;
  noisyUntil: number;
}

/**
 * Throttles a tenant that has far more work in flight than all others together (REQ-REL-9). While any other tenant is
 * active, pieces of noisy tenants begin at a pace that starts low and grows until the machine is overloaded, slowly near the pace at
 * which that happened last. A tenant alone is never throttled; of several with about as much work, none is.
 */
export class NoisyTenantThrottle {
  readonly #options: NoisyTenantThrottleOptions;
  /** Active tenants, the one seen last at the end. */
  readonly #tenants = new Map<string, Tenant>();
  readonly #everybody = new InFlightGauge();
  readonly #waiting: Waiting[] = [];
  #perSecond: number;
  /** The pace at which the machine last became overloaded. */
  #tooFast = 0;
  #wasOverloaded = false;
  #nextAt = 0;
  #slowestSince: number | undefined;
  #offUntil = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #countWait: () => void;

  constructor(options: NoisyTenantThrottleOptions) {
    this.#options = options;
    const help = 'Pieces of work that waited because their tenant had far more at once than all others';
    const waits = options.metrics.counter('throttled_work_total', help, ['work']);
    this.#countWait = () => waits.inc({ work: options.work });
    this.#perSecond = options.slowest;
  }

  /** The process stops: everything that waits begins, and nothing waits from now on. */
  stop(): void {
    this.#offUntil = Number.POSITIVE_INFINITY;
    this.#releaseAll();
  }

  async run<Result>(tenantId: string, work: () => Promise<Result>): Promise<Result> {
    const tenant = this.#arrive(tenantId);
    try {
      if (this.#isNoisy(tenant, performance.now())) await this.#turn();
      return await work();
    } finally {
      this.#count(tenant, -1, performance.now());
    }
  }

  #arrive(tenantId: string): Tenant {
    const seenAt = performance.now();
    const tenant = this.#tenants.get(tenantId) ?? { underWay: new InFlightGauge(), seenAt, noisyUntil: 0 };
    this.#count(tenant, 1, seenAt);
    tenant.seenAt = seenAt;
    this.#tenants.delete(tenantId);
    this.#tenants.set(tenantId, tenant);
    this.#forgetGone(seenAt);
    return tenant;
  }

  #count(tenant: Tenant, by: number, now: number): void {
    tenant.underWay.change(by, now);
    this.#everybody.change(by, now);
  }

  #isNoisy(tenant: Tenant, now: number): boolean {
    if (this.#outnumbers(tenant, now)) tenant.noisyUntil = now + noisyForMs;
    return tenant.noisyUntil > now;
  }

  /** By far, now and on average: a tenant as active as others isn't throttled for a moment in which they had less. */
  #outnumbers({ underWay }: Tenant, now: number): boolean {
    const others = this.#everybody.now - underWay.now;
    const othersLately = this.#everybody.averageAt(now) - underWay.averageAt(now);
    return underWay.now > Math.max(minNoisyPieces, timesOthers * Math.max(others, othersLately));
  }

  #forgetGone(now: number): void {
    for (const [tenantId, { underWay, seenAt }] of this.#tenants) {
      if (now - seenAt < hereForMs) return;
      if (underWay.now === 0) this.#tenants.delete(tenantId);
    }
  }

  async #turn(): Promise<void> {
    const now = performance.now();
    if (this.#isOff(now)) return;
    if (this.#waiting.length === 0 && this.#nextAt <= now) return this.#takeTurn(now);
    this.#countWait();
    await new Promise<void>((begin) => {
      this.#waiting.push({ begin, since: now });
      this.#timer ??= setInterval(() => this.#tick(), tickMs);
    });
  }

  /** Whether nothing has to wait. */
  #isOff(now: number): boolean {
    if (now < this.#offUntil) return true;
    if (this.#perSecond === fastest && !this.#options.load.isHigh) return true;
    const isHere = (tenant: Tenant) => !this.#isNoisy(tenant, now) && now - tenant.seenAt < hereForMs;
    return !this.#tenants.values().some(isHere);
  }

  #takeTurn(now: number): void {
    this.#nextAt = Math.max(this.#nextAt, now - tickMs) + 1000 / this.#perSecond;
  }

  #tick(): void {
    const now = performance.now();
    this.#options.load.watch();
    this.#adjust(now);
    if (this.#isOff(now)) {
      this.#releaseAll();
      return;
    }
    const { maxWaitMs = Number.POSITIVE_INFINITY } = this.#options;
    for (let first = this.#waiting[0]; first; first = this.#waiting[0]) {
      if (this.#nextAt <= now) this.#takeTurn(now);
      else if (now - first.since < maxWaitMs) return;
      this.#waiting.shift();
      first.begin();
    }
    this.#releaseAll();
  }

  #adjust(now: number): void {
    const { load, slowest } = this.#options;
    const { isHigh } = load;
    if (isHigh && !this.#wasOverloaded) this.#tooFast = this.#perSecond;
    this.#wasOverloaded = isHigh;
    const wanted = this.#perSecond * (isHigh ? slower : this.#growth);
    this.#perSecond = Math.min(fastest, Math.max(slowest, wanted));
    if (this.#perSecond > slowest) this.#slowestSince = undefined;
    else this.#slowestSince ??= now;
    if (now - (this.#slowestSince ?? now) < futileAfterMs) return;
    this.#slowestSince = undefined;
    this.#offUntil = Math.max(this.#offUntil, now + offForMs);
  }

  get #growth(): number {
    const isNear = this.#perSecond > this.#tooFast * near.from && this.#perSecond < this.#tooFast * near.to;
    return isNear ? carefully : faster;
  }

  #releaseAll(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#slowestSince = undefined;
    for (const { begin } of this.#waiting.splice(0)) begin();
  }
}
