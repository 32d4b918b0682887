import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  addOwnAccounts,
  chatOf,
  codeIn,
  connect,
  followLink,
  grantsOf,
  linkIn,
  look,
  type OwnAccounts,
  said,
} from '../own-accounts-fixture.ts';
import { openSignInFixture, type SignInFixture } from '../sign-in-fixture.ts';

/** The agents service as a process that is killed as by kill -9 while a person connects an account of their own. */
let fixture: SignInFixture;
let running: Awaited<ReturnType<SignInFixture['harness']['startProcess']>>;
let marks: string;
let own: OwnAccounts;

beforeAll(async () => {
  fixture = await openSignInFixture();
  marks = await mkdtemp(join(tmpdir(), 'botyard-sign-in-'));
  await fixture.agents.stop();
  await start();
});
beforeEach(async () => {
  own = await addOwnAccounts(fixture);
});
afterAll(async () => {
  await fixture?.close();
  await rm(marks, { recursive: true, force: true });
});

async function start(failpoints = ''): Promise<void> {
  const settings = {
    PRIVATE_LLM_BASE_URL: fixture.model.url,
    AGENTS_RETRY_BASE_MS: '10',
    FAILPOINTS_DIR: marks,
  };
  const env = { ...fixture.env, ...settings, FAILPOINTS: failpoints };
  running = await fixture.harness.startProcess('agents', env);
  fixture.agents = running;
}

/** Kills the process; the next one dies at the given failpoint. */
async function restart(failpoints = ''): Promise<void> {
  running.signal('SIGKILL');
  await running.ended;
  await start(failpoints);
}

test.each(['agents.sign-in.before-exchange', 'agents.sign-in.after-exchange'])(
  'killed at %s no account is connected, the link has ended, and the person connects with another one',
  async (point) => {
    const chat = chatOf(fixture, own);
    const link = linkIn(await said(chat, 'do it')) ?? '';
    await restart(`${point}:crash`);
    await expect(followLink(fixture, link)).rejects.toThrow('fetch failed');
    await running.ended;
    await start();
    expect(await grantsOf(fixture)).toEqual([]);
    for (const method of ['GET', 'POST']) expect((await look(fixture, link, method)).status).toBe(410);
    await connect(fixture, chat);
    expect(await said(chat, 'do it')).toContain('echo: {"text":"Hello"}');
    expect(await grantsOf(fixture)).toHaveLength(1);
  },
);

test('killed between the sign-in and the code, no account is connected before the code, and it connects once', async () => {
  const chat = chatOf(fixture, own);
  const code = codeIn(await followLink(fixture, linkIn(await said(chat, 'do it')) ?? ''));
  await restart();
  expect(await grantsOf(fixture)).toEqual([]);
  expect(await said(chat, `/connect ${code}`)).toContain('is connected');
  expect(await grantsOf(fixture)).toHaveLength(1);
});

test.each(['agents.account.before-confirmed', 'agents.account.confirmed'])(
  'killed at %s the code connects one account, and the chat is told that it is connected',
  async (point) => {
    const chat = chatOf(fixture, own);
    const code = codeIn(await followLink(fixture, linkIn(await said(chat, 'do it')) ?? ''));
    await restart(`${point}:crash`);
    const reply = said(chat, `/connect ${code}`);
    await running.ended;
    await start();
    expect(await reply).toContain('is connected');
    expect(await grantsOf(fixture)).toHaveLength(1);
    expect(fixture.authority.revoked).toEqual([]);
  },
);

test('a code that was confirmed connects nothing again after the person disconnected', async () => {
  const chat = chatOf(fixture, own);
  const code = codeIn(await followLink(fixture, linkIn(await said(chat, 'do it')) ?? ''));
  await said(chat, `/connect ${code}`);
  await said(chat, '/disconnect');
  expect(await said(chat, `/connect ${code}`)).toContain('not valid');
  expect(await grantsOf(fixture)).toEqual([]);
});
