import type { ServiceName } from '@botyard/contracts/http/contract';
import { eventually } from '@botyard/testing/eventually';
import type { ServiceHarness } from '@botyard/testing/service-harness';
import { freePorts } from '../../../tools/embedded/free-port.ts';
import { loopback, type Place } from '../../../tools/embedded/guarded-process.ts';
import { startNodeProcess } from '../../../tools/launcher/processes/node-process.ts';
import { Supervisor } from '../../../tools/launcher/processes/supervisor.ts';
import { domainServices } from '../../../tools/launcher/settings/services.ts';

interface Unit {
  name: string;
  service: ServiceName;
  place: Place;
  port: number;
  /** A gateway's port for public requests. */
  publicPort: number;
}

export interface PairsOptions {
  harness: ServiceHarness;
  /** The gateway among them. */
  services: readonly ServiceName[];
  /** Settings of a service in addition to its own. */
  envOf?: (service: ServiceName) => Readonly<Record<string, string>>;
  /** Returns the settings of a process, by its name, with proxies between it and its neighbours. */
  wire?: (name: string, env: Readonly<Record<string, string>>) => Promise<Record<string, string>>;
  /** The place where a process runs, by the process's name. */
  placeOf?: (name: string) => Promise<Place>;
  onLine?: (name: string, line: string) => void;
}

const urlOf = ({ place: { host }, port }: Unit) => `http://${host}:${port}`;
const publicUrlOf = ({ place: { host }, publicPort }: Unit) => `http://${host}:${publicPort}`;

/** The time in which a balancer expects a gateway to report that it is ready. */
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
    const { services, placeOf = async () => loopback } = options;
    const ports = await freePorts(services.length * 4);
    const starting = services.flatMap((service) =>
      [0, 1].map(async (number): Promise<Unit> => {
        const name = `${service}-${number}`;
        const place = await placeOf(name);
        return { name, service, place, port: ports.pop() ?? 0, publicPort: ports.pop() ?? 0 };
      }),
    );
    const units = await Promise.all(starting);
    const pairs = new Pairs(options, units);
    await Promise.all(units.map((unit) => pairs.#keep(unit)));
    for (const unit of units) await eventually(`${unit.name} is ready`, () => pairs.isReady(unit.name));
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
      const gateway = gateways[(this.#turn + tries) % gateways.length]!;
      try {
        return await fetch(`${publicUrlOf(gateway)}${path}`, init);
      } catch (error) {
        const { code } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException;
        if (code !== 'ECONNREFUSED' || tries >= gateways.length) throw error;
      }
    }
  }

  /** The names of all processes, by service and number. */
  get names(): string[] {
    return [...this.starts.keys()].sort();
  }

  /** The public address of each gateway. */
  get publicUrls(): string[] {
    return this.#gateways.map(publicUrlOf);
  }

  /** Each gateway's ports for a balancer: for requests, and for readiness. */
  get gatewayPorts(): { port: number; readinessPort: number }[] {
    return this.#gateways.map(({ port, publicPort }) => ({ port: publicPort, readinessPort: port }));
  }

  async isReady(name: string): Promise<boolean> {
    return (await this.readiness(name))?.isReady ?? false;
  }

  /** A process's report about itself; `undefined` while it gives none. */
  async readiness(name: string): Promise<{ isReady: boolean; text: string } | undefined> {
    const unit = this.#units.find((one) => one.name === name);
    if (!unit) throw new Error(`no process ${name}`);
    try {
      const signal = AbortSignal.timeout(readyWithinMs * 2);
      const answer = await fetch(`${urlOf(unit)}/readyz`, { signal });
      return { isReady: answer.ok, text: await answer.text() };
    } catch {
      return undefined;
    }
  }

  pidOf(name: string): number | undefined {
    return this.#pids.get(name);
  }

  /** Kills, pauses (`SIGSTOP`) or resumes (`SIGCONT`) a process. A killed process is restarted immediately. */
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
      const isReady = await fetch(`${urlOf(gateway)}/readyz`, { signal }).then(
        ({ ok }) => ok,
        () => false,
      );
      if (isReady) this.#ready.add(gateway);
      else this.#ready.delete(gateway);
    };
    await Promise.all(this.#gateways.map(look));
  }

  async #keep(unit: Unit): Promise<void> {
    const { name, service, place } = unit;
    const wire = this.#options.wire ?? (async (_name, settings) => settings);
    const env = { PATH: process.env.PATH, ...(await wire(name, this.#envOf(unit))) };
    const options = {
      script: `services/${service}/src/main.ts`,
      cwd: new URL('../../..', import.meta.url).pathname,
      env,
      network: place.network,
      onLine: (line: string) => this.#options.onLine?.(name, line),
    };
    await this.#supervisor.keep({
      name,
      start: async () => startNodeProcess(options),
    });
  }

  #envOf({ service, place, port, publicPort }: Unit): Record<string, string> {
    const { harness, envOf } = this.#options;
    const { host } = place;
    const own = { SERVICE_HOST: host, SERVICE_PORT: String(port), LOG_LEVEL: 'info', ...envOf?.(service) };
    if (service !== 'gateway') return { ...harness.envOf(service), ...own };
    const urls = domainServices.map((name) => [`${name.toUpperCase()}_URL`, this.#urlsOf(name)] as const);
    return {
      NODE_ENV: 'test',
      AUTH_DEV_MODE: 'true',
      HOST: host,
      PORT: String(publicPort),
      NATS_URL: harness.natsUrl,
      NATS_NAMESPACE: harness.namespace,
      IDENTITY_SIGNING_KEY: harness.identitySigningKey,
      ...Object.fromEntries(urls),
      ...own,
    };
  }

  /** For a service that isn't among them, an address without a server. */
  #urlsOf(service: ServiceName): string {
    const own = this.#units.filter((unit) => unit.service === service);
    return own.map(urlOf).join() || 'http://127.0.0.1:9';
  }
}
