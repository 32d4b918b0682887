import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePorts } from '../../embedded/free-port.ts';
import { type GuardedProcess, spawnGuarded } from '../../embedded/guarded-process.ts';
import { natsBinary } from '../../embedded/nats-binary.ts';
import { loadSecrets, type Secrets } from '../../launcher/settings/secrets.ts';
import { natsConfig } from '../nats-config.ts';

const run = promisify(execFile);
const size = 3;

interface Server {
  name: string;
  process: GuardedProcess;
  monitorUrl: string;
  lines: string[];
}
type Config = ReturnType<typeof natsConfig>;
type Cluster = NonNullable<Config['cluster']>;

let dir: string;
let secrets: Secrets;
let ports: number[];
const servers: Server[] = [];

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'botyard-routes-'));
  secrets = await loadSecrets(dir);
  ports = await freePorts(size);
  await makeCertificate('own');
  for (const port of ports) servers.push(await startServer(`nats-${port}`, port, (cluster) => cluster));
});
afterAll(async () => {
  await Promise.all(servers.map(({ process }) => process.end([{ signal: 'SIGKILL', waitMs: 2000 }])));
  await rm(dir, { recursive: true, force: true });
});

/** As `docs/operations.md` says; the servers are at one address here. */
async function makeCertificate(name: string): Promise<void> {
  const folder = join(dir, name);
  await mkdir(folder);
  const subject = ['-subj', '/CN=nats-routes', '-addext', 'subjectAltName=DNS:*.nats-peers,DNS:localhost'];
  const files = ['-keyout', join(folder, 'tls.key'), '-out', join(folder, 'tls.crt')];
  await run('openssl', ['req', '-x509', '-newkey', 'ed25519', '-nodes', '-days', '2', ...subject, ...files]);
}

const filesOf = (name: string) => ({
  cert_file: join(dir, name, 'tls.crt'),
  key_file: join(dir, name, 'tls.key'),
  ca_file: join(dir, name, 'tls.crt'),
});

/** The configuration of an installation, moved to this machine's ports and files. */
async function startServer(
  name: string,
  port: number,
  change: (cluster: Cluster) => object,
): Promise<Server> {
  const [client = 0, monitor = 0] = await freePorts(2);
  const config = natsConfig({ namespace: 'botyard', secrets, servers: size, filesMaxBytes: 1024 ** 3 });
  const written = config.cluster!;
  const cluster = {
    ...written,
    listen: `127.0.0.1:${port}`,
    tls: { ...written.tls, ...filesOf('own') },
    routes: written.routes.map((route, number) => route.replace(/@.*$/, `@localhost:${ports[number]}`)),
  };
  const here = {
    server_name: name,
    listen: `127.0.0.1:${client}`,
    port: undefined,
    http: `127.0.0.1:${monitor}`,
    http_port: undefined,
    jetstream: { store_dir: join(dir, name), sync_interval: 'always' },
  };
  const file = join(dir, `${name}.json`);
  await writeFile(file, JSON.stringify({ ...config, ...here, cluster: change(cluster) }));
  const lines: string[] = [];
  const process = spawnGuarded({
    file: await natsBinary(),
    args: ['--config', file],
    env: {},
    cwd: dir,
    orphanSignal: 'TERM',
    onLine: (line) => void lines.push(line),
  });
  return { name, process, monitorUrl: `http://127.0.0.1:${monitor}`, lines };
}

/** Names of the servers that this one has routes to. */
async function routesOf({ monitorUrl }: Server): Promise<string[]> {
  const answer = await fetch(`${monitorUrl}/routez`);
  const { routes } = (await answer.json()) as { routes: { remote_name: string }[] };
  return [...new Set(routes.map(({ remote_name }) => remote_name))].sort();
}

const areTogether = async () => {
  const all = await Promise.all(servers.map((server) => routesOf(server).catch(() => [])));
  return all.every((names) => names.length === size - 1);
};

/**
 * A stranger was turned away: a server of the cluster says so, and none has a route to it.
 * The stranger's own list proves nothing: it shows a route from the first `INFO`, before the other side has refused it.
 */
async function isRefused(stranger: Server, since: number, reason: RegExp): Promise<void> {
  await eventually('a server of the cluster refuses it', () =>
    servers.some(({ lines }) => lines.slice(since).some((line) => reason.test(line))),
  );
  for (const server of servers) expect(await routesOf(server)).not.toContain(stranger.name);
  await stranger.process.end([{ signal: 'SIGKILL', waitMs: 2000 }]);
}

test('servers with the written configuration and the documented certificate join', async () => {
  await eventually('all have routes to each other', areTogether);
});

test('a server with the certificate and another password does not join', async () => {
  await eventually('the cluster is whole', areTogether);
  const since = Math.min(...servers.map(({ lines }) => lines.length));
  const [port = 0] = await freePorts(1);
  const stranger = await startServer('guesser', port, (cluster) => ({
    ...cluster,
    routes: cluster.routes.map((route) => route.replace(/:[^:@]+@/, ':guessed@')),
  }));
  await isRefused(stranger, since, /authentication error|Authorization Violation/i);
});

test('a server with the password and a certificate of its own making does not join', async () => {
  await eventually('the cluster is whole', areTogether);
  const since = Math.min(...servers.map(({ lines }) => lines.length));
  await makeCertificate('strange');
  const [port = 0] = await freePorts(1);
  const stranger = await startServer('stranger', port, (cluster) => ({
    ...cluster,
    tls: { ...cluster.tls, ...filesOf('strange') },
  }));
  await isRefused(stranger, since, /TLS.*handshake error/i);
});
