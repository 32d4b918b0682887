import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { eventually } from '@botyard/testing/eventually';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { freePorts } from '../../../tools/embedded/free-port.ts';
import { startNatsServer } from '../../../tools/embedded/nats-server.ts';
import { startPostgres } from '../../../tools/embedded/postgres.ts';
import { mailPeople } from '../../../tools/sandbox/mail/people.ts';
import { ProcessInstallation } from '../support/processes.ts';
import { SandboxChats, userIdOf } from '../support/sandbox-chats.ts';
import { ToolServers } from '../support/tool-servers.ts';

const Mails = z.object({ entries: z.array(z.object({ direction: z.enum(['in', 'out']) })) });
let directory: string;
let archive: string;
let installation: ProcessInstallation;
let servers: { url: string; stop(): Promise<unknown> }[] = [];
let ports: number[];
let toolServers: ToolServers;

/** Both with nothing in them, at the ports of before. */
async function startServers(name: string): Promise<void> {
  const [postgresPort = 0, port = 0] = ports;
  const log = () => undefined;
  const dataDir = join(directory, `${name}-postgres`);
  const settings = { fsync: 'off' };
  servers = [
    await startPostgres({ dataDir, password: 'owner', port: postgresPort, settings, log }),
    await startNatsServer({ storeDir: join(directory, `${name}-nats`), port, users: [], log }),
  ];
}
const stopServers = () => Promise.all(servers.map((server) => server.stop()));

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'botyard-backup-'));
  await chmod(directory, 0o711);
  archive = join(directory, 'botyard.backup');
  ports = await freePorts(2);
  await startServers('first');
  const settingsDir = join(directory, 'settings');
  await mkdir(settingsDir);
  const [postgres, nats] = servers;
  toolServers = await new ToolServers().start();
  installation = await ProcessInstallation.prepare(settingsDir, {
    DATABASE_URL: postgres!.url,
    NATS_URL: nats!.url,
    ...toolServers.env,
  });
  await installation.deploy('settings');
  await installation.deploy('migrate');
  await installation.start();
});
afterAll(async () => {
  await installation?.stop();
  await toolServers?.close();
  await stopServers();
  await rm(directory, { recursive: true, force: true });
});

async function ask<Row extends pg.QueryResultRow>(text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: servers[0]!.url });
  await client.connect();
  const { rows } = await client.query<Row>(text);
  await client.end();
  return rows;
}

/** Rows of every table, by the owner, who sees all of them. */
async function countRows(): Promise<Record<string, number>> {
  const tables = await ask<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname in ('tenancy', 'keys', 'usage', 'webhooks', 'agents') order by 1`,
  );
  const counts = tables.map(({ name }) => `select '${name}' as name, count(*)::int as count from ${name}`);
  const rows = await ask<{ name: string; count: number }>(counts.join(' union all '));
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
}

/** The mail's file as an admin downloads it. */
async function readAttachment(): Promise<string> {
  const [found] = await ask<{ tenant: string; id: string }>(
    'select tenant_id as tenant, attachment_id as id from webhooks.mail_attachments',
  );
  const answer = await fetch(`${installation.gatewayUrl}/api/email-threads/attachments/${found?.id}`, {
    headers: { 'x-tenant-id': found?.tenant ?? '' },
  });
  return await answer.text();
}

const restore = (file: string, ...more: string[]) => installation.deploy('restore', {}, file, ...more);

/** Answers of the mailbox so far. */
async function countMails(): Promise<number> {
  const { entries } = Mails.parse(await (await fetch(`${installation.sandboxUrl}/api/mail`)).json());
  return entries.filter(({ direction }) => direction === 'out').length;
}

/** The sealed tokens of the tenant, and of a person with an account of their own. */
const readGrants = () => ask('select * from agents.server_grants order by grant_id');

/** Connects MCP servers, one of which has the account of a person. Returns the tenant. */
async function connectToolServers(): Promise<string> {
  const [{ id } = { id: '' }] = await ask<{ id: string }>('select tenant_id as id from tenancy.bots');
  await toolServers.connect(installation.gatewayUrl, id);
  await ask(
    `set app.platform = 'test';
     insert into agents.server_grants (tenant_id, grant_id, server_id, person_id, platform, platform_user_id, person_name,
       issuer, sealed_grant, updated_at)
     select tenant_id, gen_random_uuid(), server_id, gen_random_uuid(), 'messenger', '1', 'Ann', issuer, sealed_grant, now()
     from agents.server_grants`,
  );
  expect(await readGrants()).toHaveLength(2);
  return id;
}

async function writeMail(): Promise<void> {
  const answered = await countMails();
  const base64 = Buffer.from('a harbour chart').toString('base64');
  const files = [{ name: 'chart.txt', contentType: 'text/plain', base64 }];
  const body = {
    personId: mailPeople[0]?.id,
    to: 'demo@bots.sandbox.test',
    subject: 'A chart',
    text: 'What is it?',
    files,
  };
  const answer = await fetch(`${installation.sandboxUrl}/api/mail`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(answer.status, await answer.text()).toBe(201);
  await eventually('the mail is answered', async () => (await countMails()) > answered);
}

test('an installation is restored into empty servers: history, files, MCP servers, and nothing is answered twice', async () => {
  const chats = new SandboxChats(installation.sandboxUrl);
  for (const person of [0, 1, 2, 0]) await chats.say(person);
  expect(await chats.settle()).toEqual({ lost: [], twice: [], thrice: [], misplaced: [] });
  await writeMail();
  const tenantId = await connectToolServers();
  const grants = await readGrants();
  await installation.stopServices();
  const mails = await countMails();
  const before = await countRows();
  expect(before['webhooks.outbox']).toBeDefined();
  expect(await installation.deploy('backup', {}, archive)).toBe('backup: done\n');
  expect((await stat(archive)).mode & 0o777).toBe(0o600);
  const text = gunzipSync(await readFile(archive)).toString();
  expect(text).toContain(Buffer.from('a harbour chart').toString('base64'));
  const { secretsKeys } = JSON.parse(await readFile(join(installation.settingsDir, 'secrets.json'), 'utf8'));
  expect(text).not.toContain(secretsKeys.split(':')[1]);
  await stopServers();
  await startServers('second');
  expect(await restore(archive)).toMatch(/^restore: backup of version \S+, made at \S+Z\nrestore: done\n$/);
  expect(await countRows()).toEqual(before);
  await installation.startServices();
  await chats.say(0);
  await chats.say(3);
  expect(await chats.settle()).toEqual({ lost: [], twice: [], thrice: [], misplaced: [] });
  expect(await readAttachment()).toBe('a harbour chart');
  expect(await countMails()).toBe(mails);
  expect(await readGrants()).toEqual(grants);
  expect(await toolServers.tryTools(installation.gatewayUrl, tenantId)).toEqual([
    ['allowed', true],
    ['allowed', true],
  ]);
});

test('a restore is refused while services run, over tenants, and with other secrets', async () => {
  await expect(restore(archive, '--replace')).rejects.toThrow(/services are connected .* stop them first/);
  await installation.stopServices();
  await expect(restore(archive)).rejects.toThrow(/the database contains tenants: add --replace/);
  const SECRETS_KEYS = `other:${'A'.repeat(43)}`;
  await expect(installation.deploy('restore', { SECRETS_KEYS }, archive)).rejects.toThrow(
    /secrets don't match the backup/,
  );
});

test('a damaged archive and one that ends too soon change nothing', async () => {
  const before = await countRows();
  const bytes = await readFile(archive);
  const write = async (name: string, content: Buffer) => {
    await writeFile(join(directory, name), content);
    return join(directory, name);
  };
  const lines = gunzipSync(bytes).toString().trimEnd().split('\n');
  const changed = lines.map((line) => line.replace('hello 0-0', 'hello 9-9')).join('\n');
  const cut = await write('cut', bytes.subarray(0, bytes.length / 2));
  const short = await write('short', gzipSync(lines.slice(0, -1).join('\n')));
  const tampered = await write('tampered', gzipSync(changed));
  for (const file of [cut, short, tampered, join(installation.settingsDir, 'secrets.json')])
    await expect(restore(file, '--replace')).rejects.toThrow(/is damaged/);
  await expect(restore(join(directory, 'nothing'))).rejects.toThrow(/does not exist/);
  await expect(installation.deploy('backup', {}, archive)).rejects.toThrow(
    /already exists: name another file/,
  );
  expect(await countRows()).toEqual(before);
});

test('with --replace it replaces existing data, and names deleted data that is back', async () => {
  const [bot] = await ask<{ tenant: string; id: string }>(
    'select tenant_id as tenant, bot_id as id from tenancy.bots',
  );
  await ask(`set app.platform = 'test'; update tenancy.tenants set name = 'changed'`);
  await ask(`set app.platform = 'test'; delete from tenancy.integrations; delete from tenancy.bots`);
  const said = await restore(archive, '--replace');
  expect(await ask(`select from tenancy.tenants where name = 'changed'`)).toEqual([]);
  expect(said).toContain(
    `restore: restored although it was deleted after the backup: bot ${bot?.id} of tenant ${bot?.tenant}\n`,
  );
  expect(await restore(archive, '--replace')).not.toContain('restored although');
  await ask(`set app.platform = 'test'; delete from tenancy.tenants where tenant_id = '${bot?.tenant}'`);
  await ask(
    `set app.platform = 'test'; insert into tenancy.tenants (tenant_id, name) values (gen_random_uuid(), 'other')`,
  );
  const back = (await restore(archive, '--replace'))
    .split('\n')
    .filter((line) => line.includes('restored although'));
  expect(back).toEqual([`restore: restored although it was deleted after the backup: tenant ${bot?.tenant}`]);
});

/** The archive with another first line, and a checksum that fits. */
async function archiveOf(change: (manifest: Record<string, unknown>) => object): Promise<string> {
  const [first = '', ...others] = gunzipSync(await readFile(archive))
    .toString()
    .trimEnd()
    .split('\n');
  const lines = [JSON.stringify(change(JSON.parse(first))), ...others.slice(0, -1)];
  const hash = createHash('sha256');
  for (const line of lines) hash.update(line);
  const end = JSON.stringify({ kind: 'end', parts: lines.length, sha256: hash.digest('hex') });
  const file = join(directory, 'of-another-version');
  await writeFile(file, gzipSync([...lines, end, ''].join('\n')));
  return file;
}

test('an archive of another version is refused with a remedy, and one with the same tables is accepted', async () => {
  const before = await countRows();
  const older = await archiveOf(({ migrations, ...manifest }) => {
    const { agents = [], ...others } = migrations as Record<string, string[]>;
    return { ...manifest, version: '0.0.9', migrations: { ...others, agents: agents.slice(0, -1) } };
  });
  await expect(restore(older, '--replace')).rejects.toMatchObject({
    stderr:
      'restore: the backup is from version 0.0.9, which has other tables: restore it with that version, then upgrade\n',
  });
  await expect(
    restore(await archiveOf((manifest) => ({ ...manifest, format: 2 })), '--replace'),
  ).rejects.toThrow(/is not a backup of this format/);
  expect(await countRows()).toEqual(before);
  const same = await archiveOf((manifest) => ({ ...manifest, version: '0.0.9' }));
  expect(await restore(same, '--replace')).toMatch(/^restore: backup of version 0\.0\.9, /);
  expect(await countRows()).toEqual(before);
});

test('a person who was erased after the backup is erased again automatically once it is restored', async () => {
  const [{ tenant } = { tenant: '' }] = await ask<{ tenant: string }>(
    `select tenant_id as tenant from agents.messages where text = 'hello 0-0'`,
  );
  const texts = () => ask(`select text from agents.messages where text ~ 'hello 0-[0-9]'`);
  const isForgotten = async () => (await texts()).length === 0;
  await installation.startServices();
  const answer = await fetch(`${installation.gatewayUrl}/api/admin/gdpr/requests`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-tenant-id': tenant },
    body: JSON.stringify({ platform: 'messenger', platformUserId: userIdOf(0) }),
  });
  const { requestId } = z.object({ requestId: z.string() }).parse(await answer.json());
  await eventually('the erasure is done', async () => {
    const url = `${installation.gatewayUrl}/api/admin/gdpr/requests/${requestId}`;
    const body = await (await fetch(url, { headers: { 'x-tenant-id': tenant } })).json();
    return z.object({ state: z.string() }).parse(body).state === 'done';
  });
  expect(await isForgotten()).toBe(true);
  await installation.stopServices();
  await restore(archive, '--replace');
  expect(await isForgotten()).toBe(false);
  await installation.startServices();
  await eventually('the person is forgotten again', isForgotten);
  expect(await ask(`select from agents.messages where text ~ 'hello 1-[0-9]'`)).not.toEqual([]);
});
