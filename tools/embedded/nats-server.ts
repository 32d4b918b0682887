import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { maxFileStoreOf, type NatsAccount } from '@botyard/shared/bus/accounts';
import { type SubjectPermissions, serverPermissions } from '@botyard/shared/bus/permissions';
import { connect } from '@nats-io/transport-node';
import { freePorts } from './free-port.ts';
import {
  type GuardedProcess,
  type Log,
  loopback,
  type Place,
  type RunningProcess,
  spawnGuarded,
} from './guarded-process.ts';
import { natsBinary } from './nats-binary.ts';
import { StartError } from './start-error.ts';
import { waitUntil } from './wait-until.ts';

const startMs = 20_000;
/**
 * Drops a hung client or server after 15 s. With the defaults that takes minutes, during which it still receives its
 * share of the requests between services.
 */
export const noticesSilence = { ping_interval: '5s', ping_max: 2 } as const;
const maxPayloadBytes = 1024 * 1024;

interface Login {
  user: string;
  password: string;
}

export interface NatsUser extends SubjectPermissions, Login {}

/** A server's place in a cluster that replicates streams. For tests only: anyone who reaches the port can join. */
interface ClusterSeat {
  /** Unique in the cluster. */
  name: string;
  port: number;
  /** The host and port of every server. */
  addresses: readonly string[];
}

export interface NatsOptions {
  storeDir: string;
  port?: number;
  monitorPort?: number;
  /** If empty, and without accounts, everyone on this machine can connect. For tests only. */
  users: readonly NatsUser[];
  /** The accounts with their logins. `login` is the one that checks whether the server is ready. */
  accounts?: { config: Record<string, NatsAccount>; login: { user: string; password: string } };
  /** The user for connections without a login. For tests only. */
  userWithoutLogin?: string;
  /** The servers of a cluster must be started together: one becomes ready only once most of them run. */
  cluster?: ClusterSeat;
  place?: Place;
  log: Log;
}

export interface RunningNats extends RunningProcess {
  readonly port: number;
  readonly url: string;
  readonly monitorUrl: string;
  /** Sends a signal, for example to pause (`SIGSTOP`) or resume (`SIGCONT`) the server. */
  signal(name: NodeJS.Signals): void;
}

/**
 * Starts a real nats-server with JetStream on loopback. It acknowledges a message once it is on disk. @throws
 * StartError
 */
export async function startNatsServer(options: NatsOptions): Promise<RunningNats> {
  const storeDir = resolve(options.storeDir);
  const [free = 0, freeMonitor = 0] = await freePorts(2);
  const port = options.port ?? free;
  const monitorPort = options.monitorPort ?? freeMonitor;
  const place = options.place ?? loopback;
  const [file, config] = await Promise.all([
    natsBinary(),
    writeNatsConfig({ ...options, storeDir, port, monitorPort }),
  ]);
  const last: string[] = [];
  const server = spawnGuarded({
    file,
    args: ['--config', config],
    env: { PATH: process.env.PATH },
    cwd: storeDir,
    network: place.network,
    orphanSignal: 'TERM',
    onLine: (line) => {
      last.push(line);
      if (last.length > 20) last.shift();
      options.log(line);
    },
  });
  await untilReady(server, {
    address: `${place.host}:${port}`,
    last,
    user: options.accounts?.login ?? mightiest(options.users),
  });
  return {
    port,
    url: `nats://${place.host}:${port}`,
    monitorUrl: `http://${place.host}:${monitorPort}`,
    pid: server.pid,
    exited: server.exited,
    stop: () =>
      server.end([
        { signal: 'SIGTERM', waitMs: 8000 },
        { signal: 'SIGKILL', waitMs: 1000 },
      ]),
    kill: () => server.signal('SIGKILL'),
    signal: server.signal,
  };
}

/** Writes the configuration as JSON, which needs no manual quoting. A running server reloads it on `SIGHUP`. */
export async function writeNatsConfig(
  options: NatsOptions & { port: number; monitorPort: number },
): Promise<string> {
  const { storeDir, port, monitorPort, place = loopback } = options;
  await mkdir(storeDir, { recursive: true, mode: 0o700 });
  const users = options.users.map(({ user, password, ...rights }) => ({
    user,
    password,
    permissions: serverPermissions(rights),
  }));
  const config = {
    server_name: options.cluster?.name ?? 'botyard',
    listen: `${place.host}:${port}`,
    http: `${place.host}:${monitorPort}`,
    max_payload: maxPayloadBytes,
    ...noticesSilence,
    jetstream: {
      store_dir: storeDir,
      sync_interval: 'always',
      ...(options.accounts ? { max_file_store: maxFileStoreOf(options.accounts.config) } : {}),
    },
    ...(users.length > 0 ? { authorization: { users } } : {}),
    ...(options.accounts ? { accounts: options.accounts.config } : {}),
    ...(options.userWithoutLogin ? { no_auth_user: options.userWithoutLogin } : {}),
    ...(options.cluster ? { cluster: clusterConfig(options.cluster, place) } : {}),
  };
  const file = join(storeDir, 'nats-server.json');
  await writeFile(file, JSON.stringify(config, null, 2), { mode: 0o600 });
  // The mode above applies to new files only.
  await chmod(file, 0o600);
  return file;
}

const clusterConfig = ({ port, addresses }: ClusterSeat, { host }: Place) => ({
  name: 'botyard',
  listen: `${host}:${port}`,
  // Clients must keep the addresses that they were given: a test may use a proxy.
  no_advertise: true,
  routes: addresses.map((address) => `nats://${address}`),
});

function mightiest(users: readonly NatsUser[]): NatsUser | undefined {
  return users.find((user) => user.publish.includes('>')) ?? users[0];
}

async function untilReady(
  server: GuardedProcess,
  { address, last, user }: { address: string; last: readonly string[]; user: Login | undefined },
): Promise<void> {
  let ended: string | undefined;
  void server.exited.then((code) => {
    ended = `it ended with code ${code}`;
  });
  const ask = async () => ended ?? (await answersJetStream(address, user));
  const state =
    (await waitUntil(ask, { timeoutMs: startMs })) ?? `JetStream did not respond within ${startMs / 1000} s`;
  if (state === 'ready') return;
  await server.end([{ signal: 'SIGKILL', waitMs: 1000 }]);
  const said = last.findLast((line) => /\[FTL\]|\[ERR\]|nats-server:/.test(line));
  throw new StartError(`nats-server doesn't start: ${said?.replace(/^.*\[(FTL|ERR)\]\s*/, '') ?? state}`);
}

async function answersJetStream(address: string, user: Login | undefined): Promise<'ready' | undefined> {
  try {
    const connection = await connect({
      servers: address,
      reconnect: false,
      timeout: 1000,
      ...(user ? { user: user.user, pass: user.password } : {}),
    });
    try {
      const answer = (await connection.request('$JS.API.INFO', '', { timeout: 1000 })).json<{
        error?: unknown;
      }>();
      return answer.error ? undefined : 'ready';
    } finally {
      await connection.close();
    }
  } catch {
    return undefined;
  }
}
