import type { Random } from '../random.ts';
import { FaultProxy } from './fault-proxy.ts';

/** Settings with a neighbour's address, each with the kind of neighbour. A list has a number for each address. */
const neighbours: Readonly<Record<string, string>> = {
  NATS_URL: 'nats',
  DATABASE_URL: 'postgres',
  DATABASE_READER_URL: 'postgres',
  MESSENGER_API_URL: 'messenger',
  PRIVATE_LLM_BASE_URL: 'model',
  TENANCY_URL: 'tenancy',
  KEYS_URL: 'keys',
  USAGE_URL: 'usage',
  WEBHOOKS_URL: 'webhooks',
  AGENTS_URL: 'agents',
};

/** A proxy between every two that talk, by names such as `webhooks-0>nats-2`. */
export class Links {
  readonly #random: Random;
  readonly #proxies = new Map<string, Promise<FaultProxy>>();
  readonly #started = new Map<string, FaultProxy>();

  constructor(random: Random) {
    this.#random = random;
  }

  /** In the same order at every run. */
  get names(): string[] {
    return [...this.#started.keys()].sort();
  }

  find(name: string): FaultProxy {
    const proxy = this.#started.get(name);
    if (!proxy) throw new Error(`no link ${name}`);
    return proxy;
  }

  /** The settings of a process, with a proxy before each neighbour that they name. */
  async wire(from: string, env: Readonly<Record<string, string>>): Promise<Record<string, string>> {
    const wired = { ...env };
    for (const [setting, neighbour] of Object.entries(neighbours)) {
      const addresses = env[setting]?.split(',') ?? [];
      const through = addresses.map(async (address, number) => {
        const to = addresses.length > 1 ? `${neighbour}-${number}` : neighbour;
        return (await this.#proxyBetween(from, to, address)).through(address);
      });
      if (addresses.length > 0) wired[setting] = (await Promise.all(through)).join();
    }
    return wired;
  }

  /** Ends every fault of every link. */
  async heal(): Promise<void> {
    await Promise.all([...this.#started.values()].map((proxy) => proxy.heal()));
  }

  close(): void {
    for (const proxy of this.#started.values()) proxy.close();
  }

  /** A process that is started again has the link that it had. */
  #proxyBetween(from: string, to: string, address: string): Promise<FaultProxy> {
    const name = `${from}>${to}`;
    const existingProxy = this.#proxies.get(name);
    if (existingProxy !== undefined) return existingProxy;
    const starting = FaultProxy.before(address, this.#random).then((proxy) => {
      this.#started.set(name, proxy);
      return proxy;
    });
    this.#proxies.set(name, starting);
    return starting;
  }
}
