import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { ServiceName } from '@botyard/contracts/http/contract';
import type { Bus } from '../bus/bus.ts';
import { isReady, type Readiness } from '../service/readiness.ts';
import { LogRing } from './log-ring.ts';
import { memoryInUse } from './memory-in-use.ts';
import type { Problems } from './problems.ts';
import type { Figures, InstanceStatus, Load, PoolFigures, SettingFact } from './questions.ts';

const loadWindowMs = 5000;

/** This process as others see it: its identity, its state, and the requests that it answers. */
export class Instance {
  readonly id: string = randomUUID().replaceAll('-', '');
  readonly service: ServiceName;
  readonly version: string;
  readonly startedAt = new Date();
  readonly log = new LogRing();
  settings: readonly SettingFact[] = [];
  /** Set when the process has its log. */
  problems: Problems | undefined;
  requestsInFlight = 0;
  requests = 0;
  isDraining = false;
  /** Ends the process for a restart; absent if the service shares a process, as in tests. */
  restart: (() => void) | undefined;
  readiness: (() => Promise<Readiness>) | undefined;
  readonly #pools: (() => PoolFigures)[] = [];
  readonly #queues = new Map<string, () => Promise<number>>();
  readonly #delay = monitorEventLoopDelay({ samplePerIteration: true });
  #sample = takeSample();
  #load = { utilization: 0, cpu: 0 };
  #timer: NodeJS.Timeout | undefined;
  #bus: Bus | undefined;

  constructor(service: ServiceName) {
    this.service = service;
    this.version = readVersion();
  }

  /** Starts measuring. */
  start(): void {
    this.#delay.enable();
    this.#timer = setInterval(() => this.#measure(), loadWindowMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#delay.disable();
  }

  watchesPool(read: () => PoolFigures): void {
    this.#pools.push(read);
  }

  /** Registers a queue whose length is read periodically and may cost a query. */
  watchesQueue(name: string, read: () => Promise<number>): void {
    this.#queues.set(name, read);
  }

  usesBus(bus: Bus): void {
    this.#bus = bus;
  }

  get bus(): Bus | undefined {
    return this.#bus;
  }

  pools(): PoolFigures[] {
    return this.#pools.map((read) => read());
  }

  /** Queues that can't be read now are left out. */
  async queues(): Promise<Record<string, number>> {
    const read = [...this.#queues].map(async ([name, ask]) => [name, await ask().catch(() => null)] as const);
    const depths = await Promise.all(read);
    return Object.fromEntries(depths.filter((entry): entry is [string, number] => entry[1] !== null));
  }

  load(): Load {
    if (performance.now() - this.#sample.at > loadWindowMs / 5) this.#measure();
    return {
      ...this.#load,
      residentBytes: memoryInUse().rss,
      requestsInFlight: this.requestsInFlight,
    };
  }

  eventLoop(): Figures['eventLoop'] {
    const ms = (nanoseconds: number) => (this.#delay.count > 0 ? rounded(nanoseconds / 1e6) : 0);
    return {
      utilization: this.load().utilization,
      meanMs: ms(this.#delay.mean),
      p50Ms: ms(this.#delay.percentile(50)),
      p99Ms: ms(this.#delay.percentile(99)),
      maxMs: ms(this.#delay.max),
    };
  }

  async status(): Promise<InstanceStatus> {
    const checks = (await this.readiness?.()) ?? {};
    const state = this.isDraining
      ? 'draining'
      : !this.readiness
        ? 'starting'
        : isReady(checks)
          ? 'ready'
          : 'not ready';
    return { state, checks: { ...checks }, load: this.load() };
  }

  #measure(): void {
    const before = this.#sample;
    const now = takeSample();
    const seconds = (now.at - before.at) / 1000;
    if (seconds < 0.05) return;
    this.#sample = now;
    this.#load = {
      utilization: rounded(performance.eventLoopUtilization(now.loop, before.loop).utilization),
      cpu: rounded((now.cpuMicros - before.cpuMicros) / 1e6 / seconds),
    };
  }
}

const rounded = (value: number): number => Math.round(value * 1000) / 1000;

function takeSample() {
  const { user, system } = process.cpuUsage();
  return { at: performance.now(), loop: performance.eventLoopUtilization(), cpuMicros: user + system };
}

function readVersion(): string {
  const file = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
