import { withTenant } from '@botyard/shared/db/database';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { demoReply } from '../../../../../tools/sandbox/model/demo-model.ts';
import { faultsOf } from '../../../src/apps/domain/spec-faults.ts';
import {
  type AgentsServices,
  Chat,
  createBot,
  openAgentsServices,
  type TestBot,
} from '../../agents-services.ts';
import { Apps } from '../../app-calls.ts';
import { lastTriage } from '../../routing/domain/team.ts';

let services: AgentsServices;
let apps: Apps;

beforeAll(async () => {
  services = await openAgentsServices();
  // The very model that answers in the sandbox.
  services.model.replyWith(demoReply);
  apps = new Apps(services);
  const text = 'You can send things back within 30 days.';
  await services.agents.call('POST', '/api/context-sources', {
    as: services.acme.admin,
    body: { title: 'House rules', text },
  });
});
afterAll(() => services?.close());

async function install(
  templateId: string,
): Promise<{ appId: string; bot: TestBot; agents: Map<string, string> }> {
  const bot = await createBot(services, services.acme, { name: `Bot of ${templateId}`, agentIds: [] });
  const app = await apps.callOk('POST', '/install', { body: { templateId, botId: bot.botId } });
  await services.harness.settled('agents', 'tenancy');
  expect(app).toMatchObject({ templateId, currentVersion: 1, bindings: [{ botId: bot.botId }] });
  expect(faultsOf(app.spec)).toEqual([]);
  const agents = app.spec.agents.map(({ key, agentId }: { key: string; agentId: string }) => [key, agentId]);
  return { appId: app.appId, bot, agents: new Map(agents) };
}

/** Sends messages one after another and returns who answered each, by which route, and with what. */
async function converse(bot: TestBot, said: readonly (string | { command: string; argument: string })[]) {
  const chat = new Chat(services, bot);
  const routings = [];
  for (const [index, words] of said.entries()) {
    if (typeof words === 'string') await chat.say(words);
    else await chat.say(words.argument, { command: { name: words.command, argument: words.argument } });
    const answers = await chat.answers(index + 1);
    await chat.isIdle();
    const triage = (await lastTriage(services, chat)) as {
      app?: { route: string };
      rule: string;
      agentId: string;
    };
    routings.push({ text: answers.at(-1), agentId: triage.agentId, by: triage.app?.route ?? triage.rule });
  }
  return routings;
}

const recordsOf = async (appId: string) =>
  (await apps.callOk('GET', `/${appId}/records`)).map(({ type, fields }: Record<string, unknown>) => ({
    type,
    fields,
  }));

describe('an installed template answers by its routes, and collects its records', () => {
  test('the support desk', async () => {
    const { appId, bot, agents } = await install('support-desk');
    const answers = await converse(bot, [
      'hello',
      'I want a refund for my invoice',
      { command: 'ticket', argument: 'My kettle is broken, urgency high, write to ann@example.com' },
      'what does the policy say about sending things back?',
    ]);
    expect(answers.map(({ agentId, by }) => [agentId, by])).toEqual([
      [agents.get('desk'), 'everything-else'],
      [agents.get('billing'), 'billing'],
      [agents.get('desk'), 'ticket'],
      [agents.get('desk'), 'sticky'],
    ]);
    expect(answers[2]?.text).toContain('save_record');
    expect(answers[3]?.text).toContain('within 30 days');
    expect(await recordsOf(appId)).toMatchObject([
      { type: 'ticket', fields: { urgency: 'high', email: 'ann@example.com' } },
    ]);
  });

  test('questions and answers', async () => {
    const { appId, bot, agents } = await install('faq');
    const answers = await converse(bot, [
      'search the documents for sending back',
      { command: 'ask', argument: 'Who feeds the cat?' },
    ]);
    expect(answers.map(({ agentId, by }) => [agentId, by])).toEqual([
      [agents.get('guide'), 'everything-else'],
      [agents.get('guide'), 'ask'],
    ]);
    expect(answers[0]?.text).toContain('within 30 days');
    expect(await recordsOf(appId)).toMatchObject([
      { type: 'open_question', fields: { question: '/ask Who feeds the cat?' } },
    ]);
  });

  test('appointment requests', async () => {
    const { appId, bot, agents } = await install('appointments');
    const answers = await converse(bot, [
      'hello',
      'I need an appointment on 2031-05-06 at 9:30',
      'which appointments are mine?',
      'what time is it?',
    ]);
    expect(answers.map(({ agentId, by }) => [agentId, by])).toEqual([
      [agents.get('reception'), 'everything-else'],
      [agents.get('booking'), 'appointments'],
      [agents.get('booking'), 'appointments'],
      [agents.get('booking'), 'sticky'],
    ]);
    expect(await recordsOf(appId)).toMatchObject([
      { type: 'appointment', fields: { day: '2031-05-06', time: '09:30' } },
    ]);
    expect(answers[2]?.text).toContain('2031-05-06');
    expect(answers[3]?.text).toContain('current_time');
  });
});

const madeBy = async (): Promise<number[]> => {
  const tables = [
    'agent_definitions',
    'capability_definitions',
    'tool_definitions',
    'apps',
    'app_versions',
    'app_bindings',
  ];
  const counts = tables.map(async (table) => {
    const rows = await services.harness.asOwner(`select 1 from agents.${table} where tenant_id = $1`, [
      services.other.tenantId,
    ]);
    return rows.length;
  });
  return await Promise.all(counts);
};

test('an installation that fails at its very end has made nothing', async () => {
  const foreign = new Apps(services, services.other);
  const bot = await createBot(services, services.other, { agentIds: [] });
  await services.harness.settled('agents', 'tenancy');
  await services.harness.asOwner(
    `insert into agents.app_bindings (tenant_id, binding_id, app_id, bot_id, priority, fingerprint)
     select $1, gen_random_uuid(), gen_random_uuid(), $2, 0, n::text from generate_series(1, 20) n`,
    [services.other.tenantId, bot.botId],
  );
  const before = await madeBy();
  const body = { templateId: 'support-desk', botId: bot.botId };
  expect((await foreign.call('POST', '/install', body)).status).toBe(409);
  expect(await madeBy()).toEqual(before);
  const mine = await createBot(services, services.acme, { agentIds: [] });
  expect((await foreign.call('POST', '/install', { ...body, botId: mine.botId })).status).toBe(400);
  expect((await foreign.call('POST', '/install', { templateId: 'no-such' })).status).toBe(404);
  expect(await madeBy()).toEqual(before);
});

test('a template that is installed twice has separate agents, and shares the tools', async () => {
  const database = services.harness.databaseAs('agents');
  const tools = () =>
    withTenant(database, [services.acme.tenantId], (tx) =>
      tx.query({ name: 'test.tools', text: 'select id from agents.tool_definitions', values: [] }),
    );
  const one = await apps.callOk('POST', '/install', { body: { templateId: 'faq', name: 'One' } });
  const before = (await tools()).length;
  const two = await apps.callOk('POST', '/install', {
    body: { templateId: 'faq', name: 'Two', model: 'fake-model' },
  });
  expect((await tools()).length).toBe(before);
  expect(two.spec.agents[0].agentId).not.toBe(one.spec.agents[0].agentId);
  expect([one.name, two.name]).toEqual(['One', 'Two']);
});

test('the list describes the purpose of each template, and a single template its contents', async () => {
  const listed = await apps.callOk('GET', '/templates');
  const names = listed.map(({ templateId, commands }: Record<string, unknown>) => [templateId, commands]);
  expect(names).toEqual([
    ['support-desk', ['ticket']],
    ['faq', ['ask']],
    ['appointments', ['book']],
  ]);
  const one = await apps.callOk('GET', '/templates/support-desk');
  expect(one).toMatchObject({ capabilities: [{ key: 'tickets' }], tools: [{ kind: 'search_context' }] });
  expect((await apps.call('GET', '/templates/other')).status).toBe(404);
});
