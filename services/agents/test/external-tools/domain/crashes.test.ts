import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@botyard/testing/eventually';
import { startFakeTools } from '@botyard/testing/fake/fake-tools';
import { startFakeModel } from '@botyard/testing/fake-model';
import { createTenantWithPeople } from '@botyard/testing/people';
import { ServiceHarness } from '@botyard/testing/service-harness';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { Chat, startKeys, startTenancy, startUsage } from '../../agents-services.ts';
import {
  botWithTool,
  callsTool,
  connectAccount,
  decide,
  ended,
  type IntegrationsFixture,
  park,
  putRule,
  toolEnv,
} from '../../integrations-fixture.ts';

/** The agents service as a process that is killed as by kill -9, everything around it for real. */
let fixture: IntegrationsFixture;
let marks: string;
let running: Awaited<ReturnType<ServiceHarness['startProcess']>>;

beforeAll(async () => {
  const [harness, model, tools] = await Promise.all([
    ServiceHarness.open(),
    startFakeModel(),
    startFakeTools(),
  ]);
  marks = await mkdtemp(join(tmpdir(), 'botyard-tickets-'));
  const [tenancy, keys, usage] = [
    await startTenancy({ harness }),
    await startKeys({ harness, model }),
    await startUsage({ harness }),
  ];
  const env = {
    ...toolEnv(tools),
    PRIVATE_LLM_BASE_URL: model.url,
    AGENTS_RETRY_BASE_MS: '10',
    FAILPOINTS_DIR: marks,
  };
  running = await harness.startProcess('agents', env);
  const [acme, other] = [
    await createTenantWithPeople(harness, tenancy),
    await createTenantWithPeople(harness, tenancy),
  ];
  const close = async () => {
    await harness.close();
    await Promise.all([model.close(), tools.close()]);
  };
  fixture = { harness, model, tools, tenancy, keys, usage, agents: running, acme, other, env, close };
  await connectAccount(fixture, 'mail');
  await connectAccount(fixture, 'calendar');
});
afterAll(async () => {
  await fixture?.close();
  await rm(marks, { recursive: true, force: true });
});
afterEach(() => fixture.tools.clearFaults());

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

const made = (tool: string) => fixture.tools.executions.all.filter((one) => one.tool === tool).length;

test('a call that is parked survives kill -9, and is made once after its approval', async () => {
  const bot = await botWithTool(fixture, { toolkit: 'mail', tool: 'MAIL_SEND' });
  await putRule(fixture, { effect: 'approval', toolkit: 'mail' });
  callsTool(fixture, bot.name, { to: 'ben@example.com' });
  const { chat, ticketId } = await park(fixture, bot);
  await restart();
  expect((await decide(fixture, ticketId, 'approve')).status).toBe(200);
  running.signal('SIGKILL');
  await running.ended;
  await start();
  const texts = await chat.answers(2);
  expect(texts[1]).toMatch(/^told: /);
  await chat.isIdle();
  expect([made('MAIL_SEND'), (await chat.replies()).length]).toEqual([1, 2]);
});

test('killed before or after the call is sent: the outcome is unknown, nothing is done twice, and the chat is notified', async () => {
  const bot = await botWithTool(fixture, { toolkit: 'mail', tool: 'MAIL_SEND' });
  await putRule(fixture, { effect: 'approval', toolkit: 'mail' });
  callsTool(fixture, bot.name, { to: 'carl@example.com' });
  for (const [point, calls] of [
    ['agents.ticket.before-call', 0],
    ['agents.ticket.after-call', 1],
  ] as const) {
    const before = made('MAIL_SEND');
    await restart(`${point}:crash`);
    const { chat, ticketId } = await park(fixture, bot);
    await decide(fixture, ticketId, 'approve').catch(() => undefined);
    await running.ended;
    await start();
    const texts = await chat.answers(2);
    expect(texts[1]).toContain('I cannot say whether it was done');
    expect(await ended(fixture, ticketId)).toMatchObject({ status: 'uncertain' });
    expect(made('MAIL_SEND') - before).toBe(calls);
    expect((await decide(fixture, ticketId, 'approve')).status).toBe(409);
  }
});

test('a repeatable call is repeated after a crash, and its result is reported', async () => {
  const bot = await botWithTool(fixture, { toolkit: 'calendar', tool: 'CALENDAR_ADD' });
  await putRule(fixture, { effect: 'approval', toolkit: 'calendar' });
  callsTool(fixture, bot.name, { title: 'Lunch', at: 'noon' });
  await rm(join(marks, 'agents.ticket.after-call'), { force: true });
  await restart('agents.ticket.after-call:crash');
  const { chat, ticketId } = await park(fixture, bot);
  await decide(fixture, ticketId, 'approve').catch(() => undefined);
  await running.ended;
  await start();
  const texts = await chat.answers(2);
  expect(texts[1]).toMatch(/^told: .*Lunch/s);
  expect((await ended(fixture, ticketId)).status).toBe('executed');
  expect(made('CALENDAR_ADD')).toBe(2);
});

test('a call that the rules allow is made once, also when the process dies before the answer is kept', async () => {
  const bot = await botWithTool(fixture, { toolkit: 'mail', tool: 'MAIL_SEND' });
  await putRule(fixture, { effect: 'allow', toolkit: 'mail' });
  callsTool(fixture, bot.name, { to: 'dora@example.com' });
  const before = made('MAIL_SEND');
  await rm(join(marks, 'agents.turn.before-commit'), { force: true });
  await restart('agents.turn.before-commit:crash');
  const chat = await say(bot);
  await running.ended;
  await start();
  const [text] = await chat.answers(1);
  expect(text).toMatch(/^got: .*dora@example\.com/s);
  expect(made('MAIL_SEND') - before).toBe(1);
});

test('an allowed call that hangs when the process is killed is uncertain, and is not made again', async () => {
  const bot = await botWithTool(fixture, { toolkit: 'mail', tool: 'MAIL_SEND' });
  callsTool(fixture, bot.name, { to: 'emil@example.com' });
  fixture.tools.fail('execute', { hang: true });
  const calls = () => fixture.tools.calls.all.filter(({ operation }) => operation === 'execute').length;
  const before = calls();
  const chat = await say(bot);
  await eventually('the call is under way', () => calls() > before);
  await restart();
  const [text] = await chat.answers(1);
  expect(text).toContain('not known');
  expect(calls()).toBe(before + 1);
});

async function say(bot: Parameters<typeof park>[1]) {
  const chat = new Chat(fixture, bot);
  await chat.say('do it');
  return chat;
}
