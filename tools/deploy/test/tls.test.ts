import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv, promisify } from 'node:util';
import { connectionOptions } from '@botyard/shared/db/connection-options';
import { checkServers } from '@botyard/shared/service/server-check';
import { eventually } from '@botyard/testing/eventually';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePorts } from '../../embedded/free-port.ts';
import { type GuardedProcess, spawnGuarded } from '../../embedded/guarded-process.ts';
import { natsBinary } from '../../embedded/nats-binary.ts';
import { type RunningPostgres, startPostgres } from '../../embedded/postgres.ts';
import { unprivilegedAccount } from '../../embedded/unprivileged-account.ts';
import { serviceNames } from '../../launcher/settings/services.ts';
import { Authority, type Certificate } from './certificates.ts';

const root = join(import.meta.dirname, '..', '..', '..');
let directory: string;
let settingsDir: string;
let authority: Authority;
let stranger: Authority;
let postgres: RunningPostgres;
const ends: (() => Promise<unknown>)[] = [];
const natsUrls: Record<string, string> = {};
let monitorUrl: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'botyard-tls-'));
  // Under root Postgres runs as another user, who must be able to enter.
  await chmod(directory, 0o711);
  settingsDir = join(directory, 'settings');
  await mkdir(settingsDir);
  authority = await Authority.make(directory, 'authority');
  stranger = await Authority.make(directory, 'stranger');
  const good = await authority.sign('good');
  postgres = await startPostgres({
    dataDir: join(directory, 'postgres'),
    password: 'owner',
    settings: { fsync: 'off', ssl: 'on', ...(await filesForPostgres(good)) },
    log: () => undefined,
  });
  ends.push(() => postgres.stop());
  const [port = 0] = await freePorts(1);
  natsUrls.good = `tls://localhost:${port}`;
  // The written configuration has the logins of the services, so it comes first.
  await deploy('settings');
  await startNats('good', good, port);
  await startNats('expired', await authority.sign('expired', { isExpired: true }));
  await startNats('misnamed', await authority.sign('misnamed', { host: 'nats.example' }));
  await startNats('plain', undefined);
});
afterAll(async () => {
  await Promise.all(ends.map((end) => end()));
  await rm(directory, { recursive: true, force: true });
});

/** Postgres reads a key only if no other user can. */
async function filesForPostgres({ cert, key }: Certificate) {
  const own = join(directory, 'postgres-tls');
  await mkdir(own, { mode: 0o711 });
  const copies = { ssl_cert_file: join(own, 'tls.crt'), ssl_key_file: join(own, 'tls.key') };
  await copyFile(cert, copies.ssl_cert_file);
  await copyFile(key, copies.ssl_key_file);
  await chmod(copies.ssl_key_file, 0o600);
  const account = await unprivilegedAccount(directory);
  if (account) for (const file of Object.values(copies)) await chown(file, account.uid, account.gid);
  return copies;
}

/** Starts a nats-server with the written configuration, moved to this machine's ports and files. */
async function startNats(name: string, certificate: Certificate | undefined, given?: number): Promise<void> {
  const [free = 0, monitor = 0] = await freePorts(2);
  const port = given ?? free;
  natsUrls[name] = `${certificate ? 'tls' : 'nats'}://localhost:${port}`;
  if (name === 'good') monitorUrl = `http://127.0.0.1:${monitor}`;
  const { tls, ...written } = JSON.parse(
    await readFile(join(settingsDir, 'nats', 'nats-server.json'), 'utf8'),
  );
  const file = join(directory, `nats-${name}.json`);
  const here = {
    ...written,
    ...(certificate ? { tls: { ...tls, cert_file: certificate.cert, key_file: certificate.key } } : {}),
    port: undefined,
    http_port: undefined,
    listen: `127.0.0.1:${port}`,
    http: `127.0.0.1:${monitor}`,
    jetstream: { ...written.jetstream, store_dir: join(directory, `nats-${name}`) },
  };
  await writeFile(file, JSON.stringify(here));
  const server: GuardedProcess = spawnGuarded({
    file: await natsBinary(),
    args: ['--config', file],
    env: {},
    cwd: directory,
    orphanSignal: 'TERM',
    onLine: () => undefined,
  });
  ends.push(() => server.end([{ signal: 'SIGKILL', waitMs: 2000 }]));
  await eventually(
    `nats-server ${name} is ready`,
    async () => (await fetch(`http://127.0.0.1:${monitor}/healthz`).catch(() => undefined))?.ok,
  );
}

const databaseUrl = (mode: string, { host = 'localhost', file = '' } = {}): string =>
  `${postgres.url.replace('127.0.0.1', host)}?sslmode=${mode}${file && `&sslrootcert=${file}`}`;

async function deploy(command: string, env: Record<string, string> = {}, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(root, 'tools/deploy/main.ts'), command, ...args],
    {
      env: {
        SETTINGS_DIR: settingsDir,
        DATABASE_URL: databaseUrl('verify-full', { file: authority.file }),
        NATS_URL: natsUrls.good!,
        NATS_CA_FILE: authority.file,
        IDP_ISSUER: 'https://idp.example',
        MAIL_SPOOL_DIR: directory,
        ...env,
      },
    },
  );
  return stdout;
}

/** A service's process with the written settings and these instead. */
async function start(service: string, changed: Record<string, string> = {}) {
  const written = parseEnv(await readFile(join(settingsDir, service, 'env'), 'utf8')) as Record<
    string,
    string
  >;
  const env = {
    ...written,
    SERVICE_HOST: '127.0.0.1',
    SERVICE_PORT: '0',
    HOST: '127.0.0.1',
    PORT: '0',
    ...changed,
  };
  const child = spawn(process.execPath, [join(root, 'services', service, 'src/main.ts')], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env,
  });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  const said = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.err += text;
  });
  ends.push(() => {
    child.kill('SIGKILL');
    return ended;
  });
  return { said, ended };
}

test('backup and restore speak TLS with both, and log in to NATS', async () => {
  expect(await deploy('migrate')).toBe('migrate: done\n');
  const archive = join(directory, 'botyard.backup');
  expect(await deploy('backup', {}, archive)).toBe('backup: done\n');
  expect(await deploy('restore', {}, archive, '--replace')).toMatch(/\nrestore: done\n$/);
  const env = { NATS_CA_FILE: stranger.file };
  await expect(deploy('backup', env, join(directory, 'other'))).rejects.toMatchObject({
    stderr: expect.stringMatching(/^backup: NATS_URL: [^\n]*not known here[^\n]*\n$/),
  });
});

interface Connections {
  connections: { name: string; tls_version?: string }[];
}

test('migrate and all six services speak TLS with Postgres and NATS of a private authority', async () => {
  expect(await deploy('migrate')).toBe('migrate: done\n');
  const started = await Promise.all(serviceNames.map((name) => start(name)));
  await eventually('every service is connected to NATS', () =>
    started.every(({ said }) => said.out.includes('connected to the message bus')),
  ).catch((error: unknown) => {
    throw new Error(started.map(({ said }) => `${said.out}${said.err}`).join('\n'), { cause: error });
  });
  const { connections } = (await (await fetch(`${monitorUrl}/connz`)).json()) as Connections;
  expect(new Set(connections.map(({ name }) => name))).toEqual(
    new Set(serviceNames.map((name) => `botyard-${name}`)),
  );
  expect(connections.filter(({ tls_version }) => tls_version !== '1.3')).toEqual([]);
  const owner = new pg.Client({ connectionString: postgres.url });
  await owner.connect();
  const domain = serviceNames.filter((name) => name !== 'gateway').sort();
  // A service may be connected to NATS before it asks its database for the first time.
  const rows = await eventually('every service is connected to Postgres', async () => {
    const sessions = await owner.query<{ name: string; encrypted: boolean }>(
      `select distinct split_part(application_name, '-', 2) as name, ssl as encrypted
       from pg_stat_activity join pg_stat_ssl using (pid) where application_name like 'botyard-%' order by name`,
    );
    return sessions.rows.length >= domain.length && sessions.rows;
  });
  await owner.end();
  expect(rows).toEqual(domain.map((name) => ({ name, encrypted: true })));
});

const unknown = /that is not known here/;

test.each([
  ['gateway', () => ({ NATS_CA_FILE: stranger.file }), /^gateway: NATS_URL: .*not known here: NATS_CA_FILE /],
  [
    'keys',
    () => ({ DATABASE_URL: databaseUrl('verify-full', { file: stranger.file }) }),
    /^keys: DATABASE_URL: .*not known here: sslrootcert in DATABASE_URL /,
  ],
])('%s with an unknown authority ends at its start with one line', async (service, changed, line) => {
  const { said, ended } = await start(service, changed());
  expect(await ended).toBe(1);
  expect(said.err).toMatch(line);
  expect(said.err.trimEnd().split('\n')).toHaveLength(1);
});

test('migrate says the same', async () => {
  const env = { DATABASE_URL: databaseUrl('verify-full', { file: stranger.file }) };
  await expect(deploy('migrate', env)).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^migrate: DATABASE_URL: [^\n]*not known here[^\n]*\n$/),
  });
});

describe('a start is refused for', () => {
  const nats = (name: string) => ({ NATS_URL: natsUrls[name], NATS_CA_FILE: authority.file });
  const postgresAt = (...of: Parameters<typeof databaseUrl>) => ({ DATABASE_URL: databaseUrl(...of) });
  const missing = '/nowhere/ca.crt';
  test.each([
    ['a NATS of an authority that Node does not know', () => ({ NATS_URL: natsUrls.good }), unknown],
    ['an expired certificate of NATS', () => nats('expired'), /NATS_URL: .* has expired.*: renew it/],
    ['a certificate of NATS for another name', () => nats('misnamed'), /NATS_URL: .* for another name/],
    ['a NATS without TLS', () => nats('plain'), /NATS_URL: the server offers no encryption/],
    ['a missing NATS_CA_FILE', () => ({ ...nats('good'), NATS_CA_FILE: missing }), /NATS_CA_FILE: .*ENOENT/],
    ['verify-full by the authorities of Node', () => postgresAt('verify-full'), unknown],
    [
      'verify-full with another name',
      () => postgresAt('verify-full', { host: '127.0.0.1', file: authority.file }),
      /DATABASE_URL: .* for another name/,
    ],
    ['verify-ca by an unknown authority', () => postgresAt('verify-ca', { file: stranger.file }), unknown],
    ['require by an unknown authority', () => postgresAt('require', { file: stranger.file }), unknown],
    ['a missing sslrootcert', () => postgresAt('require', { file: missing }), /sslrootcert: .*ENOENT/],
  ])('%s', async (_what, config, line) => {
    await expect(checkServers(config())).rejects.toThrow(line);
  });

  test('several faults at once, in one line', async () => {
    const config = { ...nats('expired'), ...postgresAt('verify-full') };
    await expect(checkServers(config)).rejects.toThrow(/^NATS_URL: .*; DATABASE_URL: .*$/);
  });

  test('no server that does not answer', async () => {
    const [port = 0] = await freePorts(1);
    const config = {
      NATS_URL: `tls://localhost:${port}`,
      DATABASE_URL: `postgres://u:p@localhost:${port}/none?sslmode=require`,
    };
    await expect(checkServers(config)).resolves.toEqual([
      expect.stringMatching(/^NATS can't be reached: .*NATS_URL\.$/),
      expect.stringMatching(/^Postgres can't be used: .*DATABASE_URL\.$/),
    ]);
  });
});

test.each([
  ['require, whatever the authority', true, () => databaseUrl('require')],
  [
    'verify-ca, whatever the name',
    true,
    () => databaseUrl('verify-ca', { host: '127.0.0.1', file: authority.file }),
  ],
  ['verify-full', true, () => databaseUrl('verify-full', { file: authority.file })],
  ['disable', false, () => databaseUrl('disable')],
])('sslmode=%s connects', async (_what, encrypted, url) => {
  const client = new pg.Client(connectionOptions(url()));
  await client.connect();
  const { rows } = await client.query('select ssl from pg_stat_ssl where pid = pg_backend_pid()');
  await client.end();
  expect(rows).toEqual([{ ssl: encrypted }]);
});
