import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@botyard/testing/eventually';
import { FakeMcpServer } from '@botyard/testing/fake/fake-mcp-server';
import { startFakeTools } from '@botyard/testing/fake/fake-tools';
import { startFakeModel } from '@botyard/testing/fake-model';
import { createTenantWithPeople } from '@botyard/testing/people';
import { ServiceHarness } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { Chat, startKeys, startTenancy, startUsage } from '../../agents-services.ts';
import {
  asAdmin,
  botWithTool,
  callsTool,
  decide,
  ended,
  type IntegrationsFixture,
  park,
  putRule,
  type ToolBot,
} from '../../integrations-fixture.ts';

/** The agents service as a process that is killed as by kill -9, with an MCP server beside it. */
let fixture: IntegrationsFixture;
let marks: string;
let running: Awaited<ReturnType<ServiceHarness['startProcess']>>;
let server: FakeMcpServer;
let own: string;
let toolkit: string;
let bot: ToolBot;

beforeAll(async () => {
  const [harness, model, tools] = await Promise.all([
    ServiceHarness.open(),
    startFakeModel(),
    startFakeTools(),
  ]);
  server = await new FakeMcpServer().listen();
  marks = await mkdtemp(join(tmpdir(), 'botyard-mcp-'));
  const tenancy = await startTenancy({ harness });
  const keys = await startKeys({ harness, model });
  const usage = await startUsage({ harness });
  const env = {
    TOOL_INTEGRATIONS_ENABLED: 'true',
    TOOL_INTEGRATIONS_API_URL: tools.url,
    TOOL_INTEGRATIONS_API_KEY: tools.apiKey,
    EGRESS_ALLOWED_HOSTS: server.host,
    PRIVATE_LLM_BASE_URL: model.url,
    AGENTS_RETRY_BASE_MS: '10',
    FAILPOINTS_DIR: marks,
  };
  running = await harness.startProcess('agents', env);
  const acme = await createTenantWithPeople(harness, tenancy);
  const other = await createTenantWithPeople(harness, tenancy);
  const close = async () => {
    await harness.close();
    await Promise.all([model.close(), tools.close(), server.close()]);
  };
  fixture = { harness, model, tools, tenancy, keys, usage, agents: running, acme, other, env, close };
  const body = { name: 'Fake', url: server.url };
  const { serverId } = (await asAdmin(fixture, 'POST', '/api/integrations/servers', body)).body;
  own = `/api/integrations/servers/${serverId}`;
  toolkit = `mcp-${serverId}`;
  await asAdmin(fixture, 'POST', `${own}/refresh`);
  bot = await botWithTool(fixture, { toolkit, tool: 'echo' });
  await putRule(fixture, { effect: 'allow', toolkit });
  callsTool(fixture, bot.name, { text: 'Hello' });
});
beforeEach(() => {
  server.misbehave = () => false;
});
afterAll(async () => {
  await fixture?.close();
  await rm(marks, { recursive: true, force: true });
});

/** Says what kind of tool it is. */
async function allow(decision: { readsOnly: boolean; repeatable?: boolean }): Promise<void> {
  const [{ pin }] = (await asAdmin(fixture, 'GET', `${own}/tools`)).body;
  const { status } = await asAdmin(fixture, 'PUT', `${own}/tools/echo`, {
    isAllowed: true,
    pin,
    ...decision,
  });
  expect(status).toBe(200);
}

/** Kills the process; the next one dies at the given failpoint. */
async function restart(failpoints = ''): Promise<void> {
  running.signal('SIGKILL');
  await running.ended;
  await start(failpoints);
}

async function start(failpoints = ''): Promise<void> {
  running = await fixture.harness.startProcess('agents', { ...fixture.env, FAILPOINTS: failpoints });
  fixture.agents = running;
}

/** The server takes calls and never answers them. Resolves with the first one. */
function hangs(): Promise<void> {
  const arrival = Promise.withResolvers<void>();
  server.misbehave = ({ method }) => {
    if (method === 'tools/call') arrival.resolve();
    return method === 'tools/call';
  };
  return arrival.promise;
}

test.each([
  ['agents.ticket.before-call', 0],
  ['agents.ticket.after-call', 1],
] as const)(
  'killed at %s an approved call is uncertain, made %i times, and the chat is told',
  async (point, calls) => {
    await allow({ readsOnly: false });
    const before = server.calls.length;
    await restart(`${point}:crash`);
    const { chat, ticketId } = await park(fixture, bot);
    await decide(fixture, ticketId, 'approve').catch(() => undefined);
    await running.ended;
    await start();
    expect((await chat.answers(2))[1]).toContain('I cannot say whether it was done');
    expect(await ended(fixture, ticketId)).toMatchObject({ status: 'uncertain' });
    expect(server.calls).toHaveLength(before + calls);
  },
);

test('killed while the server works, an approved call is uncertain, and is not made again', async () => {
  await allow({ readsOnly: false });
  const before = server.calls.length;
  const { chat, ticketId } = await park(fixture, bot);
  const arrival = hangs();
  await decide(fixture, ticketId, 'approve');
  await arrival;
  await restart();
  expect((await chat.answers(2))[1]).toContain('I cannot say whether it was done');
  expect(await ended(fixture, ticketId)).toMatchObject({ status: 'uncertain' });
  expect(server.calls).toHaveLength(before + 1);
});

test('killed while the server works, a call that the rules allow is uncertain, and is not made again', async () => {
  await allow({ readsOnly: true });
  const before = server.calls.length;
  const arrival = hangs();
  const chat = new Chat(fixture, bot);
  await chat.say('do it');
  await arrival;
  await restart();
  expect((await chat.answers(1))[0]).toContain('whether it was done is not known');
  expect(server.calls).toHaveLength(before + 1);
});

test('killed while the server works, a call that may be repeated is made again, and its result is told', async () => {
  await allow({ readsOnly: false, repeatable: true });
  const before = server.calls.length;
  const { chat, ticketId } = await park(fixture, bot);
  const arrival = hangs();
  await decide(fixture, ticketId, 'approve');
  await arrival;
  server.misbehave = () => false;
  await restart();
  expect((await chat.answers(2))[1]).toMatch(/^told: .*Hello/s);
  expect(await ended(fixture, ticketId)).toMatchObject({ status: 'executed' });
  expect(server.calls).toHaveLength(before + 2);
});

test.each([
  ['agents.ticket.before-call', 1],
  ['agents.ticket.after-call', 2],
] as const)(
  'killed at %s of a continuation, the call is uncertain, and nothing is sent again',
  async (point, sends) => {
    await allow({ readsOnly: false });
    const before = server.calls.length;
    const requestedSchema = { type: 'object', properties: {} };
    const why = { method: 'elicitation/create', params: { message: 'Go on?', requestedSchema } };
    server.reply = () =>
      (server.calls.length > before + 1
        ? { content: [] }
        : { resultType: 'input_required', inputRequests: { why }, requestState: 'kept' }) as never;
    await rm(join(marks, point), { force: true });
    await restart(`${point}:crash*2`);
    const { chat, ticketId } = await park(fixture, bot);
    await decide(fixture, ticketId, 'approve');
    await eventually('the server has asked', async () => {
      const { body } = await asAdmin(fixture, 'GET', `/api/integrations/pending/${ticketId}`);
      return body.input !== null;
    });
    await decide(fixture, ticketId, 'approve').catch(() => undefined);
    await running.ended;
    await start();
    expect((await chat.answers(2))[1]).toContain('I cannot say whether it was done');
    expect(await ended(fixture, ticketId)).toMatchObject({ status: 'uncertain', input: null });
    expect(server.calls).toHaveLength(before + sends);
  },
);
