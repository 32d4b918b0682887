import { execFile } from 'node:child_process';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePorts } from '../../tools/embedded/free-port.ts';
import { LocalInstallation } from './attack/local-installation.ts';
import { newFolder, removeFolders, runCommand, startCommand } from './command-line-runs.ts';

let installation: LocalInstallation;
let url: string;

beforeAll(async () => {
  const [port = 0] = await freePorts(1);
  url = `http://127.0.0.1:${port}`;
  installation = await LocalInstallation.start({
    PORT: String(port),
    PUBLIC_BASE_URL: url,
    IDP_ACCESS_TOKENS: 'true',
  });
});
afterAll(async () => {
  await installation?.stop();
  await removeFolders();
});

const environment = async () => ({ HOME: await newFolder(), BOTYARD_URL: url });

/** Starts a sign-in, and returns it with the page that a person has to open. */
async function beginLogin(env: Readonly<Record<string, string>>) {
  const command = startCommand(['login', '--no-browser'], { env });
  const page = await eventually(
    'the address is printed',
    () => /http\S+authorize\S+/.exec(command.output())?.[0],
  );
  return { ...command, page: new URL(page) };
}

/** The address to which the identity provider sends the person who has chosen. */
async function choose(page: URL, body: Record<string, string>): Promise<URL> {
  const answer = await fetch(page, {
    method: 'POST',
    body: new URLSearchParams(body),
    redirect: 'manual',
  });
  return new URL(answer.headers.get('location')!);
}

test('a person signs in with PKCE on a loopback port, and the token is for nobody else to read', async () => {
  const env = await environment();
  const login = await beginLogin(env);
  expect(Object.fromEntries(login.page.searchParams)).toMatchObject({
    code_challenge_method: 'S256',
    redirect_uri: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/),
    resource: `${url}/api/mcp`,
  });
  const back = await choose(login.page, { person: 'user_admin' });
  const forged = new URL(back);
  forged.searchParams.set('state', 'forged');
  expect((await fetch(forged)).status).toBe(404);
  expect(await (await fetch(back)).text()).toContain('You are signed in');
  expect(await login.ended).toMatchObject({ code: 0, output: expect.stringContaining('You are signed in') });
  const file = join(env.HOME, '.config/botyard/credentials.json');
  expect((await stat(file)).mode & 0o777).toBe(0o600);

  const folder = await newFolder();
  const pulled = await runCommand(['pull', folder], { env });
  expect(pulled).toMatchObject({ code: 0, output: expect.stringContaining('new  agents/') });
  // Without any time left, the token is renewed; a second time the former refresh token would not work.
  for (const _time of ['first', 'second']) {
    const saved = JSON.parse(await readFile(file, 'utf8')) as {
      origins: Record<string, { expiresAt: number }>;
    };
    saved.origins[url]!.expiresAt = 0;
    await writeFile(file, JSON.stringify(saved));
    expect(await runCommand(['diff', folder], { env })).toEqual({ code: 0, output: 'No differences.\n' });
  }
});

test('a sign-in that the person cancels says so, and keeps no token', async () => {
  const env = await environment();
  const login = await beginLogin(env);
  await fetch(await choose(login.page, {}));
  expect(await login.ended).toMatchObject({ code: 1, output: expect.stringContaining('not completed') });
  expect(await readdir(env.HOME)).toEqual([]);
});

test('with a token that is not valid the command says what to do', async () => {
  const env = { ...(await environment()), BOTYARD_TOKEN: 'forged' };
  expect(await runCommand(['diff'], { env })).toMatchObject({
    code: 1,
    output: expect.stringContaining('Sign in with "botyard login", or set BOTYARD_TOKEN'),
  });
});

test('the packed command runs on the oldest supported Node, without any other package', async () => {
  const run = promisify(execFile);
  const folder = await newFolder();
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const env = { ...process.env, HOME: folder };
  const packing = [
    'pack',
    '-w',
    'libs/cli',
    '--ignore-scripts=false',
    '--pack-destination',
    folder,
    '--json',
  ];
  const { stdout } = await run('npm', packing, { cwd: root, env });
  const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf('['))) as [{ filename: string }];
  await writeFile(join(folder, 'package.json'), '{"name":"elsewhere","private":true}');
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(folder, filename)], {
    cwd: folder,
    env,
  });
  expect(await readdir(join(folder, 'node_modules/@botyard'))).toEqual(['cli']);
  const oldest = process.env.npm_node_execpath ?? process.execPath;
  const bin = join(folder, 'node_modules/.bin/botyard');
  const help = await run(oldest, [bin, '--help'], { cwd: folder, env });
  expect(help.stdout).toContain('Keeps the agents of a tenant as files');
});
