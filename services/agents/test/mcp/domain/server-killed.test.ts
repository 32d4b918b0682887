import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { freePorts } from '../../../../../tools/embedded/free-port.ts';
import { startAgents } from '../../agents-services.ts';
import { ask } from '../../answering/domain/loop/equipped.ts';
import {
  asAdmin,
  botWithTool,
  callsTool,
  decide,
  ended,
  type IntegrationsFixture,
  openIntegrationsFixture,
  park,
  putRule,
  type ToolBot,
} from '../../integrations-fixture.ts';
import { addServer, allowAll } from '../named-server.ts';

/** An MCP server that is killed as by kill -9 at each point of a call. */
const program = fileURLToPath(new URL('../mortal-server.ts', import.meta.url));
let fixture: IntegrationsFixture;
let folder: string;
let port: number;
let serverId: string;
let bot: ToolBot;
let running: ChildProcess;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'botyard-mortal-'));
  [port = 0] = await freePorts(1);
  const opened = await openIntegrationsFixture();
  await opened.agents.stop();
  const env = { ...opened.env, EGRESS_ALLOWED_HOSTS: `127.0.0.1:${port}` };
  fixture = { ...opened, env, agents: await startAgents(opened, env) };
  serverId = await addServer(fixture, { name: 'Mortal', url: `http://127.0.0.1:${port}/mcp` });
  bot = await botWithTool(fixture, { toolkit: `mcp-${serverId}`, tool: 'echo' });
  await putRule(fixture, { effect: 'allow', toolkit: `mcp-${serverId}` });
  callsTool(fixture, bot.name, { text: 'Hello' });
});
beforeEach(async () => {
  await writeFile(callsFile(), '');
  await start();
});
afterEach(() => stop());
afterAll(async () => {
  await fixture?.close();
  await rm(folder, { recursive: true, force: true });
});

const callsFile = () => join(folder, 'calls');
const countCalls = async () => (await readFile(callsFile(), 'utf8')).split('call').length - 1;

/** The server, which dies at this message. */
async function start(...death: string[]): Promise<void> {
  running = spawn(process.execPath, [program, `${port}`, callsFile(), ...death], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(running.stdout!, 'data');
}

async function stop(): Promise<void> {
  if (running.exitCode !== null || running.signalCode !== null) return;
  running.kill('SIGKILL');
  await once(running, 'close');
}

test.each([
  ['tools/call', 'uncertain', 'I cannot say whether it was done'],
  ['answered', 'executed', 'Hello'],
] as const)(
  'a server that is killed when an approved call is at %s: it is %s, was made once, and the chat is told',
  async (point, status, words) => {
    await allowAll(fixture, serverId, { readsOnly: false });
    const { chat, ticketId } = await park(fixture, bot);
    await stop();
    await start(point);
    await decide(fixture, ticketId, 'approve');
    expect(await ended(fixture, ticketId)).toMatchObject({ status });
    expect((await chat.answers(2))[1]).toContain(words);
    expect(await countCalls()).toBe(1);
  },
);

test.each(['server/discover', 'tools/list'])(
  'a server that is killed at %s, before an approved call is sent: the call waits for it, and is made once',
  async (point) => {
    await allowAll(fixture, serverId, { readsOnly: false });
    const { chat, ticketId } = await park(fixture, bot);
    await stop();
    await start(point);
    const death = once(running, 'close');
    await decide(fixture, ticketId, 'approve');
    await death;
    expect(await countCalls()).toBe(0);
    await start();
    expect(await ended(fixture, ticketId)).toMatchObject({ status: 'executed' });
    expect((await chat.answers(2))[1]).toContain('Hello');
    expect(await countCalls()).toBe(1);
  },
);

test('a server that is killed with a continuation: the call is uncertain, and nothing is sent again', async () => {
  await allowAll(fixture, serverId, { readsOnly: false });
  const { chat, ticketId } = await park(fixture, bot);
  await stop();
  await start('tools/call', '2');
  await decide(fixture, ticketId, 'approve');
  await eventually('the server has asked', async () => {
    const { body } = await asAdmin(fixture, 'GET', `/api/integrations/pending/${ticketId}`);
    return body.input !== null;
  });
  await decide(fixture, ticketId, 'approve');
  expect(await ended(fixture, ticketId)).toMatchObject({ status: 'uncertain' });
  expect((await chat.answers(2))[1]).toContain('I cannot say whether it was done');
  expect(await countCalls()).toBe(2);
});

test('a server that is killed with a call that the rules allow: it is made once, and told as not known', async () => {
  await allowAll(fixture, serverId, { readsOnly: true });
  await stop();
  await start('tools/call');
  expect((await ask(fixture, bot)).reply).toContain('whether it was done is not known');
  expect(await countCalls()).toBe(1);
});
