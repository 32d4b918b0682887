import { eventually } from '@botyard/shared/testing/eventually';
import type { ServiceHarness } from '@botyard/shared/testing/service-harness';
import { inject } from 'vitest';
import { freePorts } from '../../tools/embedded/free-port.ts';
import { startNodeProcess } from '../../tools/launcher/processes/node-process.ts';
import { Supervisor } from '../../tools/launcher/processes/supervisor.ts';

export const paired = ['tenancy', 'usage', 'gateway'] as const;
type Paired = (typeof paired)[number];

interface Unit {
  service: Paired;
  port: number;
  /** Of a gateway: where the world talks to it. */
  publicPort: number;
}

/** Two processes of each of some services, kept running as the launcher does it, behind two gateways. */
export class Pairs {
  readonly #harness: ServiceHarness;
  readonly #units: readonly Unit[];
  readonly #supervisor: Supervisor;
  /** How often each process was started, by its name. */
  readonly starts = new Map<string, number>();
  readonly #gateways: readonly Unit[];
  readonly #ready = new Set<Unit>();
  #timer: NodeJS.Timeout | undefined;
  #turn = 0;

  private constructor(harness: ServiceHarness, units: Unit[]) {
    this.#harness = harness;
    this.#units = units;
    this.#gateways = units.filter(({ service }) => service === 'gateway');
    this.#supervisor = new Supervisor({
      onStart: (name) => void this.starts.set(name, (this.starts.get(name) ?? 0) + 1),
      onDeath: () => undefined,
      onFailedRestart: () => undefined,
    });
  }

  static async start(harness: ServiceHarness): Promise<Pairs> {
    const ports = await freePorts(paired.length * 4);
    const units = paired.flatMap((service) =>
      [0, 1].map(() => ({ service, port: ports.pop() ?? 0, publicPort: ports.pop() ?? 0 })),
    );
    const pairs = new Pairs(harness, units);
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

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#supervisor.beginStop();
    await this.#supervisor.stop([...this.starts.keys()]);
  }

  async #look(): Promise<void> {
    for (const gateway of this.#gateways) {
      const isReady = await fetch(`http://127.0.0.1:${gateway.port}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
      if (isReady) this.#ready.add(gateway);
      else this.#ready.delete(gateway);
    }
  }

  async #keep(unit: Unit, number: number): Promise<void> {
    const { service } = unit;
    const env = { PATH: process.env.PATH, SERVICE_PORT: String(unit.port), ...this.#envOf(unit) };
    const options = {
      script: `services/${service}/src/main.ts`,
      cwd: new URL('../..', import.meta.url).pathname,
      env,
      onLine: () => undefined,
    };
    await this.#supervisor.keep({
      name: `${service}-${number}`,
      start: async () => startNodeProcess(options),
    });
  }

  #envOf({ service, port, publicPort }: Unit): Record<string, string> {
    const own = { SERVICE_PORT: String(port), LOG_LEVEL: 'info' };
    if (service !== 'gateway') {
      return { ...this.#harness.envOf(service), ...own, MESSENGER_API_URL: 'http://nowhere.invalid' };
    }
    const urlsOf = (name: Paired) =>
      this.#units.filter((unit) => unit.service === name).map((unit) => `http://127.0.0.1:${unit.port}`);
    return {
      ...own,
      NODE_ENV: 'test',
      AUTH_DEV_MODE: 'true',
      PORT: String(publicPort),
      NATS_URL: inject('natsUrl'),
      NATS_NAMESPACE: this.#harness.namespace,
      IDENTITY_SIGNING_KEY: this.#harness.identitySigningKey,
      TENANCY_URL: urlsOf('tenancy').join(),
      USAGE_URL: urlsOf('usage').join(),
      KEYS_URL: 'http://127.0.0.1:9',
      WEBHOOKS_URL: 'http://127.0.0.1:9',
      AGENTS_URL: 'http://127.0.0.1:9',
    };
  }
}
