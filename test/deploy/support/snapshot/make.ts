import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { eventually } from '@botyard/testing/eventually';
import { jetstreamManager } from '@nats-io/jetstream';
import pg from 'pg';
import { backup } from '../../../../tools/deploy/backup/backup.ts';
import { loadSecrets } from '../../../../tools/launcher/settings/secrets.ts';
import { codeOf } from '../code-of.ts';
import { ProcessInstallation } from '../processes.ts';
import { SandboxChats } from '../sandbox-chats.ts';
import { digestsOfMigrations, pack, type SnapshotFacts, snapshotsDir } from './format.ts';
import { type Servers, startServers } from './servers.ts';
import { readStreams } from './streams.ts';

/** Outside the ranges that systems and tests assign, because the stored data contains the addresses. */
const ports = { gateway: 14_710, sandbox: 14_711 };
const nowhere = 'http://127.0.0.1:9';
const far = new Date(Date.now() + 24 * 3600 * 1000);
type Running = { stop(): Promise<unknown> };

/** Runs the version of a commit, stops it while messages wait at each step of their path, and stores its data. */
export async function makeSnapshot(commit: string): Promise<{ folder: string; facts: SnapshotFacts }> {
  const directory = await mkdtemp(join(tmpdir(), 'botyard-snapshot-'));
  const code = join(directory, 'code');
  const settingsDir = join(directory, 'settings');
  await mkdir(settingsDir);
  await codeOf(commit, code);
  const servers = await startServers(directory, settingsDir);
  const options = { ports, code };
  const installation = await ProcessInstallation.prepare(settingsDir, servers.env, options);
  try {
    await installation.deploy('settings');
    await installation.deploy('migrate');
    await installation.start();
    const chats = new SandboxChats(installation.sandboxUrl);
    const waiting = await leaveWaiting(installation, chats, servers);
    await installation.stop();
    const { version } = JSON.parse(await readFile(join(code, 'package.json'), 'utf8'));
    const migrations = digestsOfMigrations(join(code, 'services'));
    const madeAt = new Date().toISOString();
    const facts = { version, commit, madeAt, ports, waiting, said: chats.said, migrations };
    const folder = join(snapshotsDir, version);
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'snapshot.json'), `${JSON.stringify(facts, null, 2)}\n`);
    await writeFile(join(folder, 'settings.json.gz'), pack(await readSettings(settingsDir)));
    const connection = await servers.connectAsAdmin();
    await writeFile(join(folder, 'streams.json.gz'), pack(await readStreams(connection)));
    await connection.close();
    const { secretsKeys } = await loadSecrets(settingsDir);
    const own = { ownerUrl: servers.postgresUrl, servicesDir: join(code, 'services'), version, secretsKeys };
    await backup(join(folder, 'rows.backup'), { ...own, namespace: 'botyard', nats: undefined });
    return { folder, facts };
  } finally {
    await installation.stop();
    await servers.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

/** @returns how many messages wait at each step, with all services stopped. */
async function leaveWaiting(installation: ProcessInstallation, chats: SandboxChats, servers: Servers) {
  const both = async (person: number) => {
    await chats.say(person);
    await chats.say(person + 1);
  };
  const count = (text: string) => ask(servers.postgresUrl, text);
  const wait = async (text: string) => {
    await eventually(text, async () => (await count(text)) === 2, { timeoutMs: 60_000, everyMs: 100 });
    return 2;
  };
  for (const person of [0, 1, 2, 0]) await chats.say(person);
  const verdict = await chats.settle();
  if (verdict.lost.length > 0) throw new Error(`not answered: ${verdict.lost.join()}`);
  // All services again, one by one below: some with a platform that isn't there.
  await installation.stopServices();
  const running = new Map<string, Running>();
  const start = async (name: Parameters<ProcessInstallation['startService']>[0], env = {}) => {
    await running.get(name)?.stop();
    running.set(name, await installation.startService(name, env));
  };
  for (const name of ['gateway', 'tenancy', 'keys', 'usage', 'agents'] as const) await start(name);
  await start('webhooks', { MESSENGER_API_URL: nowhere });
  await installation.waitUntilReady();
  await both(10);
  const unsent = await wait(`select count(*)::int from webhooks.parts where state in ('queued', 'sending')`);
  const connection = await servers.connectAsAdmin();
  const { consumers } = await jetstreamManager(connection);
  const pending = async (owner: string, consumer: string) => {
    const isReached = async () => (await consumers.info(`botyard_${owner}`, consumer)).num_pending === 2;
    await eventually(`messages wait for ${consumer}`, isReached, { timeoutMs: 60_000, everyMs: 100 });
    return 2;
  };
  await consumers.pause('botyard_agents', 'webhooks', far);
  await both(20);
  await eventually('replies wait for webhooks', async () => {
    const { num_pending } = await consumers.info('botyard_agents', 'webhooks');
    return num_pending >= 2;
  });
  await start('agents', { PRIVATE_LLM_BASE_URL: nowhere });
  await installation.waitUntilReady();
  await both(30);
  const turns = await wait('select count(*)::int from agents.conversations where ready_at is not null');
  await consumers.pause('botyard_webhooks', 'agents', far);
  await both(40);
  const received = await pending('webhooks', 'agents');
  await servers.stopNats();
  await both(50);
  const unpublished = await wait(
    `select count(*)::int from webhooks.outbox where published_at is null and subject like '%message.received%'`,
  );
  await Promise.all([...running.values()].map(({ stop }) => stop()));
  await connection.close();
  await servers.startNatsAgain();
  const again = await servers.connectAsAdmin();
  const manager = await jetstreamManager(again);
  await manager.consumers.resume('botyard_agents', 'webhooks');
  await manager.consumers.resume('botyard_webhooks', 'agents');
  await again.close();
  return {
    'taken in, not published': unpublished,
    'published, not read by agents': received,
    'read by agents, without a turn': turns,
    'answered, the reply not read by webhooks': 2,
    'reply read by webhooks, not sent': unsent,
  };
}

async function ask(url: string, text: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ count: number }>(text);
  await client.end();
  return rows[0]?.count ?? 0;
}

async function readSettings(settingsDir: string): Promise<Record<string, string>> {
  const entries = await readdir(settingsDir, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !entry.name.endsWith('.new'));
  const read = files.map(async ({ parentPath, name }) => {
    const file = join(parentPath, name);
    return [relative(settingsDir, file), await readFile(file, 'utf8')];
  });
  return Object.fromEntries(await Promise.all(read));
}
