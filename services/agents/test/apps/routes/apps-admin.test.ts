import { botDeleted } from '@botyard/contracts/events/tenancy';
import { maxApps, maxBindingsOfBot } from '@botyard/contracts/http/apps-admin';
import { firstSample } from '@botyard/testing/samples';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AgentsServices, createAgent, createBot, openAgentsServices } from '../../agents-services.ts';
import { Apps, orderType } from '../../app-calls.ts';

let services: AgentsServices;
let apps: Apps;
let foreign: Apps;
let botId: string;

beforeAll(async () => {
  services = await openAgentsServices();
  [apps, foreign] = [new Apps(services), new Apps(services, services.other)];
  botId = (await createBot(services, services.acme)).botId;
  await services.harness.settled('agents', 'tenancy');
});
afterAll(() => services?.close());

const own = (method: string, path: string, body?: unknown) =>
  services.agents.call(method, path, { as: services.acme.admin, body });

test('an app is created, renamed, shown to members with its running version, and deleted', async () => {
  const appId = await apps.create('Kiosk');
  await apps.publish(appId, { recordTypes: [orderType] });
  const bindingId = await apps.bind(appId, botId, { where: { kind: 'private' }, priority: 3 });
  await apps.callOk('PUT', `/${appId}`, { body: { name: '  Shop ', description: 'Sells.' } });
  const seen = await services.agents.call('GET', `/api/apps/${appId}`, { as: services.acme.member });
  expect(seen).toMatchObject({
    status: 200,
    body: {
      name: 'Shop',
      description: 'Sells.',
      currentVersion: 1,
      bindingCount: 1,
      bindings: [{ bindingId, botId, where: { kind: 'private' }, priority: 3 }],
      spec: { recordTypes: [{ name: 'order' }] },
    },
  });
  const listed = await services.agents.call('GET', '/api/apps', { as: services.acme.member });
  expect(listed.body).toMatchObject([{ appId, bindingCount: 1 }]);
  const refused = await apps.call('DELETE', `/${appId}`);
  expect(refused).toMatchObject({
    status: 409,
    body: { error: expect.stringContaining(`the bot "Support" (${botId})`) },
  });
  await apps.callOk('POST', `/${appId}/records`, { body: { type: 'order', fields: { item: 'Tea' } } });
  await apps.callOk('DELETE', `/${appId}/bindings/${bindingId}`, { status: 204 });
  await apps.callOk('DELETE', `/${appId}`, { status: 204 });
  expect((await apps.call('GET', `/${appId}`)).status).toBe(404);
  const left = await services.harness.asOwner(
    `select 1 from agents.app_versions where app_id = $1 union all select 1 from agents.app_records where app_id = $1`,
    [appId],
  );
  expect(left).toEqual([]);
});

test('a place of a bot can be bound to an app once, and to another app as well; the roster shows the order', async () => {
  const [one, two] = [await apps.create('One'), await apps.create('Two')];
  await apps.bind(one, botId);
  expect((await apps.call('POST', `/${one}/bindings`, { botId })).status).toBe(409);
  await apps.bind(one, botId, { where: { kind: 'group' } });
  await apps.bind(two, botId);
  await apps.bind(two, botId, { where: { kind: 'channel' }, priority: -1 });
  const [bot] = await apps.callOk('GET', '/roster');
  expect(bot).toMatchObject({ botId, name: 'Support', enabled: true });
  expect(
    bot.bindings.map(({ appName, where }: { appName: string; where: object }) => [appName, where]),
  ).toEqual([
    ['One', { kind: 'group' }],
    ['Two', {}],
    ['One', {}],
    ['Two', { kind: 'channel' }],
  ]);
  await services.harness.asOwner('delete from agents.app_bindings');
});

test('definitions that the running version refers to are not deleted, and the refusal names the app', async () => {
  const agentId = await createAgent(services, services.acme);
  const capability = await own('POST', '/api/definitions/capabilities', {
    name: 'Sums',
    instructions: 'Add.',
  });
  const capabilityId = capability.body.id;
  const spec = {
    agents: [{ key: 'desk', agentId, capabilities: ['sums'] }],
    capabilities: [{ key: 'sums', capabilityId }],
  };
  const appId = await apps.running(spec);
  const paths = [`/api/definitions/agents/${agentId}`, `/api/definitions/capabilities/${capabilityId}`];
  for (const path of paths)
    expect(await own('DELETE', path)).toMatchObject({
      status: 409,
      body: { error: expect.stringContaining(`the app "Desk" (${appId})`) },
    });
  await apps.publish(appId, { agents: [] });
  for (const path of paths) expect((await own('DELETE', path)).status).toBe(204);
});

test('an agent is either deleted or published: an app that refers to a missing agent is never published', async () => {
  for (let round = 0; round < 5; round += 1) {
    const agentId = await createAgent(services, services.acme);
    const appId = await apps.create();
    await apps.put(appId, { specVersion: 1, agents: [{ key: 'desk', agentId }] });
    const [published, deleted] = await Promise.all([
      apps.call('POST', `/${appId}/publish`, {}),
      own('DELETE', `/api/definitions/agents/${agentId}`),
    ]);
    expect([
      [200, 409],
      [422, 204],
    ]).toContainEqual([published.status, deleted.status]);
  }
});

test('an app is either bound or deleted', async () => {
  for (let round = 0; round < 5; round += 1) {
    const appId = await apps.create();
    const [bound, deleted] = await Promise.all([
      apps.call('POST', `/${appId}/bindings`, { botId }),
      apps.call('DELETE', `/${appId}`),
    ]);
    expect([
      [201, 409],
      [404, 204],
    ]).toContainEqual([bound.status, deleted.status]);
  }
  await services.harness.asOwner('delete from agents.app_bindings');
});

test('nothing of another tenant is seen, named or bound', async () => {
  const appId = await apps.running({ recordTypes: [orderType] }, botId);
  const mine = await foreign.create();
  expect((await foreign.call('GET', `/${appId}`)).status).toBe(404);
  expect((await foreign.call('POST', `/${appId}/bindings`, { botId })).status).toBe(404);
  expect((await foreign.call('POST', `/${mine}/bindings`, { botId })).status).toBe(400);
  expect((await foreign.call('POST', `/${appId}/publish`, {})).status).toBe(404);
  expect((await foreign.call('GET', `/${appId}/records/export?type=order`)).status).toBe(404);
  expect((await foreign.callOk('GET', '')).map((app: { appId: string }) => app.appId)).toEqual([mine]);
  expect(JSON.stringify(await foreign.callOk('GET', '/roster'))).not.toContain(botId);
  const agentId = await createAgent(services, services.acme);
  await foreign.put(mine, { specVersion: 1, agents: [{ key: 'theirs', agentId }] });
  const refused = await foreign.call('POST', `/${mine}/publish`, {});
  expect(refused.body.issues).toEqual([
    { path: 'agents.0.agentId', message: 'is not an agent of this tenant' },
  ]);
  await services.harness.asOwner('delete from agents.app_bindings');
});

test('a deleted bot is no longer bound to anything', async () => {
  const bot = await createBot(services, services.acme);
  const appId = await apps.create();
  await apps.bind(appId, bot.botId);
  await services.harness.publish(botDeleted, {
    ...firstSample(botDeleted),
    tenantId: services.acme.tenantId,
    botId: bot.botId,
  });
  await services.harness.settled('agents', 'tenancy');
  expect(await apps.callOk('GET', `/${appId}/bindings`)).toEqual([]);
});

test('the bindings of a bot and the apps of a tenant are limited, even for simultaneous requests', async () => {
  await services.harness.asOwner(
    `insert into agents.apps (tenant_id, app_id, name, description, draft)
     select $1, gen_random_uuid(), 'Filler', '', '{}' from generate_series(1, $2)`,
    [services.other.tenantId, maxApps - 3],
  );
  const made = await Promise.all(
    Array.from({ length: 6 }, () => foreign.call('POST', '', { name: 'One more' })),
  );
  expect(made.map(({ status }) => status).filter((status) => status === 201)).toHaveLength(2);
  expect(made.map(({ status }) => status)).toContain(409);
  const appId = await apps.create();
  const bot = await createBot(services, services.acme);
  await services.harness.settled('agents', 'tenancy');
  await services.harness.asOwner(
    `insert into agents.app_bindings (tenant_id, binding_id, app_id, bot_id, priority, fingerprint)
     select $1, gen_random_uuid(), gen_random_uuid(), $2, 0, n::text from generate_series(1, $3) n`,
    [services.acme.tenantId, bot.botId, maxBindingsOfBot - 1],
  );
  const bound = await Promise.all(
    [{}, { kind: 'private' }, { kind: 'group' }].map((where) =>
      apps.call('POST', `/${appId}/bindings`, { botId: bot.botId, where }),
    ),
  );
  expect(bound.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
});
