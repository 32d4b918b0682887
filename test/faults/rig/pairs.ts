import type { ServiceName } from '@botyard/shared/http/contract';
import { eventually } from '@botyard/shared/testing/eventually';
import type { ServiceHarness } from '@botyard/shared/testing/service-harness';
import { freePorts } from '../../../tools/embedded/free-port.ts';
import { startNodeProcess } from '../../../tools/launcher/processes/node-process.ts';
import { Supervisor } from '../../../tools/launcher/processes/supervisor.ts';
import { domainServices } from '../../../tools/launcher/settings/services.ts';

interface Unit {
  service: ServiceName;
  port: number;
  /** Of a gateway: where the world talks to it. */
  publicPort: number;
}

export interface PairsOptions {
  harness: ServiceHarness;
  /** The gateway among them. */
  services: readonly ServiceName[];
  /** Settings of a service beside those that it has by itself. */
  envOf?: (service: ServiceName) => Readonly<Record<string, string>>;
  /** The settings of a process, by its name, with whatever is to stand between it and its neighbours. */
  wire?: (name: string, env: Readonly<Record<string, string>>) => Promise<Record<string, string>>;
}

/** What a balancer gives a gateway to say that it is ready. */
const readyWithinMs = 2000;

/** Two processes of each of some services, kept running as the launcher does it, behind two gateways. */
export class Pairs {
  readonly #options: PairsOptions;
  readonly #units: readonly Unit[];
  readonly #supervisor: Supervisor;
  /** How often each process was started, by its name. */
  readonly starts = new Map<string, number>();
  readonly #pids = new Map<string, number>();
  readonly #gateways: readonly Unit[];
  readonly #ready = new Set<Unit>();
  #timer: NodeJS.Timeout | undefined;
  #turn = 0;

  private constructor(options: PairsOptions, units: Unit[]) {
    this.#options = options;
    this.#units = units;
    this.#gateways = units.filter(({ service }) => service === 'gateway');
    this.#supervisor = new Supervisor({
      onStart: (name, pid) => {
        this.starts.set(name, (this.starts.get(name) ?? 0) + 1);
        this.#pids.set(name, pid);
      },
      onDeath: (name) => void this.#pids.delete(name),
      onFailedRestart: () => undefined,
    });
  }

  static async start(options: PairsOptions): Promise<Pairs> {
    const ports = await freePorts(options.services.length * 4);
    const units = options.services.flatMap((service) =>
      [0, 1].map(() => ({ service, port: ports.pop() ?? 0, publicPort: ports.pop() ?? 0 })),
    );
    const pairs = new Pairs(options, units);
    await Promise.all(units.map((unit, number) => pairs.#keep(unit, number % 2)));
    for (const { service, port } of units) {
      const isReady = () =>
        fetch(`http://127.0.0.1:${port}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        );
      await eventually(`${service} is ready`, isReady, { timeoutMs: 60_000 });
    }
    pairs.#timer = setInterval(() => void pairs.#look(), 200);
    return pairs;
  }

  /**
   * Calls one of the gateways, as a balancer in front of them does: it looks now and then which of them is ready, and
   * where one takes no connection, the other is called. Nothing else is tried again.
   */
  async call(path: string, init: RequestInit = {}): Promise<Response> {
    this.#turn += 1;
    for (let tries = 0; ; tries += 1) {
      const ready = this.#gateways.filter((gateway) => this.#ready.has(gateway));
      const gateways = ready.length > 0 ? ready : this.#gateways;
      const { publicPort } = gateways[(this.#turn + tries) % gateways.length]!;
      try {
        return await fetch(`http://127.0.0.1:${publicPort}${path}`, init);
      } catch (error) {
        const { code } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException;
        if (code !== 'ECONNREFUSED' || tries >= gateways.length) throw error;
      }
    }
  }

  /** Of every process, by service and number. */
  get names(): string[] {
    return [...this.starts.keys()].sort();
  }

  /** Where the world finds each gateway. */
  get publicUrls(): string[] {
    return this.#gateways.map(({ publicPort }) => `http://127.0.0.1:${publicPort}`);
  }

  pidOf(name: string): number | undefined {
    return this.#pids.get(name);
  }

  /** Kills, pauses (`SIGSTOP`) or wakes (`SIGCONT`) a process. One that was killed is started again at once. */
  signal(name: string, signal: NodeJS.Signals): void {
    const pid = this.#pids.get(name);
    // None: it is between its death and its next start.
    if (pid !== undefined) process.kill(pid, signal);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    for (const name of this.names) this.signal(name, 'SIGCONT');
    this.#supervisor.beginStop();
    await this.#supervisor.stop([...this.starts.keys()]);
  }

  async #look(): Promise<void> {
    const look = async (gateway: Unit) => {
      const signal = AbortSignal.timeout(readyWithinMs);
      const isReady = await fetch(`http://127.0.0.1:${gateway.port}/readyz`, { signal }).then(
        ({ ok }) => ok,
        () => false,
      );
      if (isReady) this.#ready.add(gateway);
      else this.#ready.delete(gateway);
    };
    await Promise.all(this.#gateways.map(look));
  }

  async #keep(unit: Unit, number: number): Promise<void> {
    const { service } = unit;
    const name = `${service}-${number}`;
    const wire = this.#options.wire ?? (async (_name, settings) => settings);
    const env = { PATH: process.env.PATH, ...(await wire(name, this.#envOf(unit))) };
    const options = {
      script: `services/${service}/src/main.ts`,
      cwd: new URL('../../..', import.meta.url).pathname,
      env,
      onLine: () => undefined,
    };
    await this.#supervisor.keep({
      name,
      start: async () => startNodeProcess(options),
    });
  }

  #envOf({ service, port, publicPort }: Unit): Record<string, string> {
    const { harness, envOf } = this.#options;
    const own = { SERVICE_PORT: String(port), LOG_LEVEL: 'info', ...envOf?.(service) };
    if (service !== 'gateway') return { ...harness.envOf(service), ...own };
    const urls = domainServices.map((name) => [`${name.toUpperCase()}_URL`, this.#urlsOf(name)] as const);
    return {
      NODE_ENV: 'test',
      AUTH_DEV_MODE: 'true',
      PORT: String(publicPort),
      NATS_URL: harness.natsUrl,
      NATS_NAMESPACE: harness.namespace,
      IDENTITY_SIGNING_KEY: harness.identitySigningKey,
      ...Object.fromEntries(urls),
      ...own,
    };
  }

  /** Of a service that isn't among them, an address where nobody is. */
  #urlsOf(service: ServiceName): string {
    const own = this.#units.filter((unit) => unit.service === service);
    return own.map(({ port }) => `http://127.0.0.1:${port}`).join() || 'http://127.0.0.1:9';
  }
}
