import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { serviceNames } from '../../../tools/launcher/settings/services.ts';
import { codeOf, findCommit } from '../support/code-of.ts';
import { faultless } from '../support/sandbox-chats.ts';
import { listSnapshots, readFacts } from '../support/snapshot/format.ts';
import { loadSnapshot } from '../support/snapshot/load.ts';

/** The platform retries unaccepted updates with growing delays, of two minutes at most. */
const patientlyMs = 400_000;
const steps = [
  'taken in, not published',
  'published, not read by agents',
  'read by agents, without a turn',
  'answered, the reply not read by webhooks',
  'reply read by webhooks, not sent',
];

const releases = await Promise.all(
  listSnapshots().map(async (version) => ({ version, commit: await findCommit(readFacts(version).commit) })),
);

describe.each(releases)('an installation of version $version', ({ version, commit }) => {
  let directory: string;
  let loaded: Awaited<ReturnType<typeof loadSnapshot>> | undefined;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'botyard-upgrade-'));
    await chmod(directory, 0o711);
    loaded = await loadSnapshot(version, directory);
  });
  afterEach(async () => {
    await loaded?.installation.stop();
    await loaded?.servers.stop();
    await rm(directory, { recursive: true, force: true });
    loaded = undefined;
  });

  test('is taken over by this version while messages arrive: 0 lost, 0 twice, all in order', async () => {
    const { facts, servers, installation, chats } = loaded!;
    for (const step of steps) expect(facts.waiting[step], step).toBeGreaterThan(0);
    await installation.deploy('settings');
    await installation.startSandbox();
    const load = chats.keepTalking({ people: 12, everyMs: 500 });
    await installation.deploy('migrate');
    await servers.introduceAccounts();
    await installation.startServices();
    await load.stop();
    expect(await chats.settle(patientlyMs)).toEqual(faultless);
    process.stdout.write(`upgrade from ${version}: ${chats.count} messages, each answered once\n`);
  });

  if (commit)
    test('is upgraded process by process, old beside new, while messages arrive', async () => {
      const { servers, installation, chats } = loaded!;
      const old = join(directory, 'code');
      await codeOf(commit, old);
      await installation.deploy('settings');
      await installation.startSandbox();
      const running = new Map<string, { stop(): Promise<unknown> }>();
      for (const name of serviceNames) running.set(name, await installation.startService(name, {}, old));
      await installation.waitUntilReady();
      const load = chats.keepTalking({ people: 12, everyMs: 500 });
      await installation.deploy('migrate');
      expect(await chats.settle(patientlyMs), 'with the tables of the new version').toEqual(faultless);
      await servers.introduceAccounts();
      expect(await chats.settle(patientlyMs), 'with the accounts of the new version').toEqual(faultless);
      for (const name of serviceNames) {
        const beside = await installation.startBeside(name);
        expect(await chats.settle(patientlyMs), `${name}: old beside new`).toEqual(faultless);
        await running.get(name)?.stop();
        running.set(name, await installation.startService(name));
        await installation.waitUntilReady();
        expect(await chats.settle(patientlyMs), `${name}: new`).toEqual(faultless);
        await beside.stop();
      }
      await load.stop();
      expect(await chats.settle(patientlyMs)).toEqual(faultless);
      process.stdout.write(
        `upgrade from ${version}, one by one: ${chats.count} messages, each answered once\n`,
      );
    });
  else process.stdout.write(`left out: old beside new: the code of ${version} is not in this repository\n`);

  test('refuses to be taken back to an older version once a newer one has migrated it', async () => {
    const { servers, installation } = loaded!;
    await installation.deploy('migrate');
    const client = new pg.Client({ connectionString: servers.postgresUrl });
    await client.connect();
    await client.query(
      `insert into migrations.names (service, created_at, name) values ('keys', 9e12, '9999_later')`,
    );
    await client.end();
    await expect(installation.deploy('migrate')).rejects.toMatchObject({
      stderr: expect.stringMatching(
        /^migrate: the database is newer than this version: it has keys\/9999_later\. [^\n]+\n$/,
      ),
    });
  });
});

test('each snapshot is from its own version, and small', () => {
  for (const version of listSnapshots()) expect(readFacts(version).version).toBe(version);
  expect(listSnapshots().length).toBeGreaterThan(0);
});
