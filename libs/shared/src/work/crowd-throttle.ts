import type { Metrics } from '../service/metrics.ts';
import type { Strain } from './strain.ts';
import { UnderWay } from './under-way.ts';

export interface CrowdThrottleOptions {
  strain: Pick<Strain, 'isHigh' | 'watch'>;
  /** Pieces of work of all crowds that begin in a second, however strained the machine is. */
  slowest: number;
  /** Nobody waits for longer, but for the time of a tick. */
  maxWaitMs?: number;
  /** What the work is called in the metrics. */
  work: string;
  metrics: Pick<Metrics, 'counter'>;
}

/** With more pieces under way in this process, and so many times as many as all others have together, a tenant is a crowd. */
const crowdFrom = 16;
const timesOthers = 4;
/** And for so long afterwards. */
const crowdForMs = 2000;
/** For so long after its last piece a tenant counts as here. */
const hereForMs = 10_000;
/** What begins, begins together: deliveries then share a commit, which costs the others less than one after the other. */
const tickMs = 150;
const slower = 0.5;
const faster = 1.12;
/** Near the pace that strained the machine last it grows carefully. */
const carefully = 1.01;
const near = { from: 0.6, to: 1.2 };
const fastest = 2000;
/** Strain that stays when crowds are as slow as can be isn't theirs: then nobody waits for a while. */
const futileAfterMs = 5000;
const openForMs = 30_000;

interface Waiting {
  begin: () => void;
  since: number;
}

interface Tenant {
  underWay: UnderWay;
  seenAt: number;
  crowdUntil: number;
}

/**
 * Lets a tenant that comes in a crowd wait for those that come one by one (reliability, rule 9). While anybody else is here, the pieces
 * of crowds begin at a pace that is slow at first and grows until the machine is strained, carefully where that happened last: where there is
 * room for all, nobody waits for long; where there is none, it is the crowd that waits. A crowd alone never does, and of several that
 * are about as large none is one: what they share is what there is.
 */
export class CrowdThrottle {
  readonly #options: CrowdThrottleOptions;
  /** Those who are here; who came last is the last. */
  readonly #tenants = new Map<string, Tenant>();
  readonly #everybody = new UnderWay();
  readonly #waiting: Waiting[] = [];
  #perSecond: number;
  /** The pace at which the machine became strained last. */
  #tooFast = 0;
  #wasStrained = false;
  #nextAt = 0;
  #slowestSince: number | undefined;
  #openUntil = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #countWait: () => void;

  constructor(options: CrowdThrottleOptions) {
    this.#options = options;
    const help = 'Pieces of work that waited, because their tenant came in a crowd';
    const waits = options.metrics.counter('crowd_waits_total', help, ['work']);
    this.#countWait = () => waits.inc({ work: options.work });
    this.#perSecond = options.slowest;
  }

  /** The process stops: who waits begins, and whoever comes now doesn't wait. */
  stop(): void {
    this.#openUntil = Number.POSITIVE_INFINITY;
    this.#letAllBegin();
  }

  async within<Result>(tenantId: string, work: () => Promise<Result>): Promise<Result> {
    const tenant = this.#arrive(tenantId);
    try {
      if (this.#isCrowd(tenant, performance.now())) await this.#turn();
      return await work();
    } finally {
      this.#count(tenant, -1, performance.now());
    }
  }

  #arrive(tenantId: string): Tenant {
    const seenAt = performance.now();
    const tenant = this.#tenants.get(tenantId) ?? { underWay: new UnderWay(), seenAt, crowdUntil: 0 };
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

  #isCrowd(tenant: Tenant, now: number): boolean {
    if (this.#outnumbers(tenant, now)) tenant.crowdUntil = now + crowdForMs;
    return tenant.crowdUntil > now;
  }

  /** By far, now and for a while: who comes as often as others isn't slowed down for a moment in which they had less. */
  #outnumbers({ underWay }: Tenant, now: number): boolean {
    const others = this.#everybody.now - underWay.now;
    const othersLately = this.#everybody.averageAt(now) - underWay.averageAt(now);
    return underWay.now > Math.max(crowdFrom, timesOthers * Math.max(others, othersLately));
  }

  #forgetGone(now: number): void {
    for (const [tenantId, { underWay, seenAt }] of this.#tenants) {
      if (now - seenAt < hereForMs) return;
      if (underWay.now === 0) this.#tenants.delete(tenantId);
    }
  }

  async #turn(): Promise<void> {
    const now = performance.now();
    if (this.#isOpen(now)) return;
    if (this.#waiting.length === 0 && this.#nextAt <= now) return this.#takeTurn(now);
    this.#countWait();
    await new Promise<void>((begin) => {
      this.#waiting.push({ begin, since: now });
      this.#timer ??= setInterval(() => this.#tick(), tickMs);
    });
  }

  /** Whether crowds needn't wait. */
  #isOpen(now: number): boolean {
    if (now < this.#openUntil) return true;
    if (this.#perSecond === fastest && !this.#options.strain.isHigh) return true;
    const isHere = (tenant: Tenant) => !this.#isCrowd(tenant, now) && now - tenant.seenAt < hereForMs;
    return !this.#tenants.values().some(isHere);
  }

  #takeTurn(now: number): void {
    this.#nextAt = Math.max(this.#nextAt, now - tickMs) + 1000 / this.#perSecond;
  }

  #tick(): void {
    const now = performance.now();
    this.#options.strain.watch();
    this.#adjust(now);
    if (this.#isOpen(now)) {
      this.#letAllBegin();
      return;
    }
    const { maxWaitMs = Number.POSITIVE_INFINITY } = this.#options;
    for (let first = this.#waiting[0]; first; first = this.#waiting[0]) {
      if (this.#nextAt <= now) this.#takeTurn(now);
      else if (now - first.since < maxWaitMs) return;
      this.#waiting.shift();
      first.begin();
    }
    this.#letAllBegin();
  }

  #adjust(now: number): void {
    const { strain, slowest } = this.#options;
    const { isHigh } = strain;
    if (isHigh && !this.#wasStrained) this.#tooFast = this.#perSecond;
    this.#wasStrained = isHigh;
    const wanted = this.#perSecond * (isHigh ? slower : this.#growth);
    this.#perSecond = Math.min(fastest, Math.max(slowest, wanted));
    if (this.#perSecond > slowest) this.#slowestSince = undefined;
    else this.#slowestSince ??= now;
    if (now - (this.#slowestSince ?? now) < futileAfterMs) return;
    this.#slowestSince = undefined;
    this.#openUntil = Math.max(this.#openUntil, now + openForMs);
  }

  get #growth(): number {
    const isNear = this.#perSecond > this.#tooFast * near.from && this.#perSecond < this.#tooFast * near.to;
    return isNear ? carefully : faster;
  }

  #letAllBegin(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#slowestSince = undefined;
    for (const { begin } of this.#waiting.splice(0)) begin();
  }
}
