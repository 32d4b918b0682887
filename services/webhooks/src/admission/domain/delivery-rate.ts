import type { Worker } from '@botyard/shared/work/worker';
import type { Counter } from 'prom-client';

/** The number of deliveries in the last minute at this instance, by verdict. */
export type DeliveryCounts = Readonly<Record<Verdict, number>>;

const verdicts = ['accepted', 'duplicate', 'ignored', 'malformed', 'refused'] as const;
type Verdict = (typeof verdicts)[number];

const windowMs = 60_000;
const sampleEveryMs = 5000;

/** Reads the counter of deliveries every 5 s, so that a delivery costs nothing extra. */
export class DeliveryRate implements Worker {
  readonly #counter: Counter<'verdict' | 'reason'>;
  readonly #now: () => number;
  #samples: { at: number; counts: DeliveryCounts }[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(counter: Counter<'verdict' | 'reason'>, now: () => number = () => performance.now()) {
    this.#counter = counter;
    this.#now = now;
  }

  start(): void {
    void this.sample();
    this.#timer = setInterval(() => void this.sample(), sampleEveryMs).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
  }

  async sample(): Promise<void> {
    const at = this.#now();
    const counts = await this.#read();
    const samples = [...this.#samples, { at, counts }];
    const firstNeeded = samples.findLastIndex((sample) => sample.at <= at - windowMs);
    this.#samples = samples.slice(Math.max(0, firstNeeded));
  }

  /** Counts since the newest sample that is at least a minute old, or since the start. */
  async lastMinute(): Promise<DeliveryCounts> {
    const counts = await this.#read();
    const since = this.#now() - windowMs;
    const before = this.#samples.findLast(({ at }) => at <= since) ?? this.#samples[0];
    return countsOf((verdict) => counts[verdict] - (before?.counts[verdict] ?? 0));
  }

  async #read(): Promise<DeliveryCounts> {
    const { values } = await this.#counter.get();
    return countsOf((verdict) =>
      values.filter(({ labels }) => labels.verdict === verdict).reduce((sum, { value }) => sum + value, 0),
    );
  }
}

const countsOf = (count: (verdict: Verdict) => number): DeliveryCounts =>
  Object.fromEntries(verdicts.map((verdict) => [verdict, count(verdict)])) as DeliveryCounts;
