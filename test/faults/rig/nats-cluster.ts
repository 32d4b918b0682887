import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { ServiceName } from '@botyard/contracts/http/contract';
import { natsPermissions } from '@botyard/shared/bus/permissions';
import { eventually } from '@botyard/testing/eventually';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { inject } from 'vitest';
import { freePorts } from '../../../tools/embedded/free-port.ts';
import { loopback, type Place } from '../../../tools/embedded/guarded-process.ts';
import { type NatsOptions, type RunningNats, startNatsServer } from '../../../tools/embedded/nats-server.ts';
import { serviceNames } from '../../../tools/launcher/settings/services.ts';

interface Node {
  name: string;
  options: NatsOptions & { port: number; monitorPort: number };
  running: RunningNats;
}

interface Led {
  name: string;
  cluster?: { leader?: string };
}

/** The parsed part of a server's `/jsz`. */
interface ServerState {
  meta_cluster?: { leader?: string };
  account_details?: {
    stream_detail?: (Led & { consumer_detail?: (Led & { config?: { durable_name?: string } })[] })[];
  }[];
}

const nodeNames = ['botyard-0', 'botyard-1', 'botyard-2'];
const size = nodeNames.length;
/** An election takes seconds, and a server that was down has to catch up. */
const patience = { timeoutMs: 120_000 };
const everything = { publish: ['>'], subscribe: ['>'] };

/** Three real nats-servers that keep every stream together, with the logins that an installation has. */
export class NatsCluster {
  readonly #nodes: readonly Node[];
  readonly #password: string;
  readonly #admin: NatsConnection;

  private constructor(parts: { nodes: Node[]; password: string; admin: NatsConnection }) {
    this.#nodes = parts.nodes;
    this.#password = parts.password;
    this.#admin = parts.admin;
  }

  static async start(
    namespace: string,
    placeOf: (name: string) => Promise<Place> = async () => loopback,
  ): Promise<NatsCluster> {
    const password = randomBytes(24).toString('base64url');
    const users = [
      ...serviceNames.map((user) => ({ user, password, ...natsPermissions(namespace, user) })),
      { user: 'admin', password, ...everything },
    ];
    const free = await freePorts(size * 3);
    const places = await Promise.all(nodeNames.map(placeOf));
    const ports = free.splice(0, size);
    const addresses = ports.map((port, number) => `${places[number]?.host}:${port}`);
    const starting = nodeNames.map(async (name, number): Promise<Node> => {
      const options = {
        storeDir: join(inject('serversDir'), `${namespace}-${number}`),
        port: free.pop() ?? 0,
        monitorPort: free.pop() ?? 0,
        users,
        cluster: { name, port: ports[number] ?? 0, addresses },
        place: places[number] ?? loopback,
        log: () => undefined,
      };
      return { name, options, running: await startNatsServer(options) };
    });
    const nodes = await Promise.all(starting);
    const servers = nodes.map(({ running }) => running.url);
    const login = { user: 'admin', pass: password };
    const admin = await connect({ servers, ...login, maxReconnectAttempts: -1, reconnectTimeWait: 250 });
    return new NatsCluster({ nodes, password, admin });
  }

  /** The settings that a service needs to use the cluster. */
  envOf(service: ServiceName): Record<string, string> {
    return {
      NATS_URL: this.#nodes.map(({ running }) => running.url).join(),
      NATS_REPLICAS: String(size),
      NATS_USER: service,
      NATS_PASSWORD: this.#password,
    };
  }

  /**
   * Makes one server the leader of everything: of the cluster itself, of each stream and of each consumer. Losing it is
   * the worst that the loss of one server can be. Returns its name.
   */
  async gatherLeaders(): Promise<string> {
    const name = await eventually('the cluster has a leader', () => this.#leaderOfAll(), patience);
    const body = JSON.stringify({ placement: { preferred: name } });
    const areElsewhere = async () => (await this.#leaderships()).filter(({ leader }) => leader !== name);
    const gather = async () => {
      for (const stepDown of new Set((await areElsewhere()).map((led) => led.stepDown)))
        await this.#admin.request(stepDown, body, { timeout: 2000 });
      await eventually('they have given way', async () => (await areElsewhere()).length === 0);
      return true;
    };
    await eventually('one server leads everything', () => gather().catch(() => false), patience);
    return name;
  }

  /** The server that leads more streams and consumers than the others. */
  async leaderOfMost(): Promise<string> {
    const leaders = (await this.#leaderships()).map(({ leader }) => leader);
    const count = (name: string) => leaders.filter((leader) => leader === name).length;
    return this.names.toSorted((a, b) => count(b) - count(a))[0]!;
  }

  /** Resolves when everything has a leader that is another server. */
  async untilLedByOthers(name: string): Promise<void> {
    const isLed = async () => {
      const all = await this.#leaderships();
      return all.length > 0 && all.every(({ leader }) => leader !== '' && leader !== name);
    };
    await eventually('others lead', isLed, patience);
  }

  get names(): string[] {
    return this.#nodes.map(({ name }) => name);
  }

  kill(name: string): void {
    this.#find(name).running.kill();
  }

  /** Stops a server in its tracks: its connections stay open, and nothing comes over them. */
  pause(name: string): void {
    this.#find(name).running.signal('SIGSTOP');
  }

  wake(name: string): void {
    this.#find(name).running.signal('SIGCONT');
  }

  async startAgain(name: string): Promise<void> {
    const node = this.#find(name);
    await node.running.exited;
    node.running = await startNatsServer(node.options);
  }

  /** Resolves when every server is up and in sync with the others. */
  async untilHealthy(): Promise<void> {
    const isWell = ({ running }: Node) =>
      fetch(`${running.monitorUrl}/healthz`, { signal: AbortSignal.timeout(2000) }).then(
        ({ ok }) => ok,
        () => false,
      );
    const areWell = async () => (await Promise.all(this.#nodes.map(isWell))).every(Boolean);
    await eventually('the cluster is whole', areWell, patience);
  }

  async stop(): Promise<void> {
    await this.#admin.close();
    await Promise.all(this.#nodes.map(({ running }) => running.stop()));
  }

  /**
   * The leader of each stream and consumer, and the request that makes it step down, as each running server reports
   * them.
   */
  async #leaderships(): Promise<{ leader: string; stepDown: string }[]> {
    const stepDown = (what: string) => `$JS.API.${what.replace('.', '.LEADER.STEPDOWN.')}`;
    const views = await this.#look('?streams=true&consumers=true&config=true');
    const streams = views.flatMap(({ account_details: accounts = [] }) =>
      accounts.flatMap(({ stream_detail = [] }) => stream_detail),
    );
    return streams.flatMap(({ name, cluster, consumer_detail: consumers = [] }) => [
      { leader: cluster?.leader ?? '', stepDown: stepDown(`STREAM.${name}`) },
      ...consumers
        // Ephemeral consumers exist on one server only, and are created again.
        .filter(({ config }) => config?.durable_name)
        .map((consumer) => ({
          leader: consumer.cluster?.leader ?? '',
          stepDown: stepDown(`CONSUMER.${name}.${consumer.name}`),
        })),
    ]);
  }

  /** The server that all take for the cluster's leader; one that was away may be wrong for a while. */
  async #leaderOfAll(): Promise<string | undefined> {
    const [name, ...others] = new Set((await this.#look('')).map((view) => view.meta_cluster?.leader));
    return others.length === 0 ? name : undefined;
  }

  async #look(query: string): Promise<ServerState[]> {
    const ask = async ({ running }: Node): Promise<ServerState[]> => {
      try {
        const options = { signal: AbortSignal.timeout(1000) };
        const answer = await fetch(`${running.monitorUrl}/jsz${query}`, options);
        return [(await answer.json()) as ServerState];
      } catch {
        return [];
      }
    };
    return (await Promise.all(this.#nodes.map(ask))).flat();
  }

  #find(name: string): Node {
    const node = this.#nodes.find((one) => one.name === name);
    if (!node) throw new Error(`no server ${name}`);
    return node;
  }
}
