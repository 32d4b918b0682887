import { randomUUID } from 'node:crypto';
import { botSaved, integrationDeleted } from '@botyard/contracts/events/tenancy';
import { superadminBotsRouter } from '@botyard/contracts/http/superadmin-bots';
import type { Identity } from '@botyard/contracts/identity';
import { platformTenantId } from '@botyard/contracts/platform-tenant';
import type { TestService } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  callOk,
  emitted,
  integrationBody,
  newToken,
  openPlatform,
  type Platform,
  startAgents,
} from '../../whole-platform.ts';

const base = '/api/bots/superadmin';
let platform: Platform;
let agents: TestService;

beforeAll(async () => {
  platform = await openPlatform();
  agents = await startAgents(platform);
});
afterAll(() => platform?.close());

const asOperator = (method: string, path: string, body?: unknown) =>
  platform.tenancy.call(method, path, { as: platform.acme.operator, body });

const definition = { name: 'Guide', instructions: 'Help.', provider: 'private-llm', model: 'default' };

async function createAgent(as: Identity): Promise<string> {
  return (await callOk(agents, 'POST', '/api/definitions/agents', { as, body: definition })).id;
}

const selectPlatform = () =>
  callOk(platform.tenancy, 'POST', '/api/tenant/select', {
    as: platform.acme.operator,
    body: { tenantId: platformTenantId },
    status: 200,
  });

test('an operator makes an agent and a bot of the platform, connects, changes and deletes it', async () => {
  const { acme, messenger } = platform;
  await selectPlatform();
  const agentId = await createAgent(acme.operator);
  const choice = await asOperator('GET', `${base}/available-agents`);
  expect(choice.body).toEqual([{ agentId, name: 'Guide', description: '' }]);
  const created = await asOperator('POST', `${base}/bots`, { name: 'Ours', agentIds: [agentId] });
  expect(created.status).toBe(201);
  const { botId } = created.body;
  expect(created.body).not.toHaveProperty('tenantId');
  const path = `${base}/${botId}`;
  expect((await asOperator('GET', path)).body).toEqual(created.body);
  expect((await asOperator('PUT', path, { name: 'Still ours' })).body.name).toBe('Still ours');
  const integration = await asOperator('POST', `${path}/integrations`, integrationBody(newToken(messenger)));
  expect(integration.status).toBe(201);
  expect(integration.body).not.toHaveProperty('tenantId');
  const one = `${path}/integrations/${integration.body.integrationId}`;
  expect((await asOperator('GET', one)).body).toMatchObject({ botId, enabled: true });
  expect((await asOperator('PUT', one, { enabled: false })).body.enabled).toBe(false);
  expect((await asOperator('GET', `${path}/integrations`)).body).toHaveLength(1);
  expect((await asOperator('GET', base)).body.map((bot: { botId: string }) => bot.botId)).toEqual([botId]);
  expect((await asOperator('DELETE', one)).status).toBe(204);
  expect((await asOperator('DELETE', path)).status).toBe(204);
  expect((await asOperator('GET', base)).body).toEqual([]);
  const announced = (await emitted(platform, botSaved)).filter((event) => event.botId === botId);
  expect(announced.map(({ tenantId }) => tenantId)).toEqual([platformTenantId, platformTenantId]);
  expect((await emitted(platform, integrationDeleted)).at(-1)?.tenantId).toBe(platformTenantId);
});

test("a platform bot takes no tenant's agent, and a tenant's bot none of the platform", async () => {
  const { acme, tenancy } = platform;
  await selectPlatform();
  const [ours, theirs] = [await createAgent(acme.operator), await createAgent(acme.admin)];
  expect((await asOperator('POST', `${base}/bots`, { name: 'No', agentIds: [theirs] })).status).toBe(400);
  const path = `/api/bots/${acme.tenantId}/bots`;
  const answer = await tenancy.call('POST', path, { as: acme.admin, body: { name: 'No', agentIds: [ours] } });
  expect(answer.status).toBe(400);
});

test('every path beneath needs an operator, also one that no route takes', async () => {
  const { tenancy, acme } = platform;
  const { botId } = (await asOperator('POST', `${base}/bots`, { name: 'Ours' })).body;
  const routes = Object.values(superadminBotsRouter.routes).map(({ method, path }) => [
    method.toUpperCase(),
    `${base}${path === '/' ? '' : path.replace(':botId', botId).replace(':integrationId', randomUUID())}`,
  ]);
  const unknown = [
    ['GET', `${base}/${botId}/nothing`],
    ['PATCH', `${base}/${botId}`],
    ['POST', `${base}/${acme.tenantId}/bots`],
    ['GET', `${base}/a/b/c/d/e`],
    ['DELETE', `${base}/bots`],
    ['GET', `${base}/anything`],
    ['PUT', `${base}/no-uuid`],
    ['GET', `${base}/x/integrations`],
    ['DELETE', `${base}/x/integrations/y`],
    ['GET', `${base}/.../stats/`],
    ['GET', `${base}/tenants/x/limits`],
    ['PUT', `${base}/users/x/limits`],
    ['OPTIONS', `${base}/bots`],
    ['GET', base.toUpperCase()],
  ];
  for (const [method = '', path = ''] of [...routes, ...unknown]) {
    const statuses = [];
    for (const as of [null, acme.stranger, acme.member, acme.admin])
      statuses.push(
        (await tenancy.call(method, path, { as, body: method === 'GET' ? undefined : {} })).status,
      );
    expect([method, path, statuses]).toEqual([method, path, [401, 403, 403, 403]]);
  }
  const ofOperator = [404, 405, 404, 404, 405, 404, 404, 404, 404, 404, 404, 404, 405];
  for (const [index, status] of ofOperator.entries()) {
    const [method = '', path = ''] = unknown[index] ?? [];
    expect([path, (await asOperator(method, path)).status]).toEqual([path, status]);
  }
});

test('words of the path are never identifiers', async () => {
  for (const word of ['superadmin', 'tenants', 'available', 'nil'])
    expect([word, (await asOperator('GET', `${base}/${word}`)).status]).toEqual([word, 404]);
  expect((await asOperator('GET', `${base}/bots`)).status).toBe(405);
  for (const path of [
    '/api/bots/superadmin/tenants',
    '/api/bots/tenants/superadmin',
    '/api/bots/tenants/available-agents',
  ])
    expect([403, 404]).toContain((await asOperator('GET', path)).status);
});

test("a tenant's bot is not a bot of the platform, and vice versa", async () => {
  const { tenancy, acme } = platform;
  const { botId: ours } = (
    await asOperator('POST', `${base}/bots`, { name: 'Ours', tenantId: acme.tenantId })
  ).body;
  const path = `/api/bots/${acme.tenantId}`;
  const { botId: theirs } = await callOk(tenancy, 'POST', `${path}/bots`, {
    as: acme.admin,
    body: { name: 'Mine' },
  });
  for (const method of ['GET', 'PUT', 'DELETE']) {
    const body = method === 'PUT' ? { name: 'Taken' } : undefined;
    expect((await asOperator(method, `${base}/${theirs}`, body)).status).toBe(404);
    expect((await tenancy.call(method, `${path}/${ours}`, { as: acme.admin, body })).status).toBe(404);
    expect((await asOperator(method, `/api/bots/${platformTenantId}/${ours}`, body)).status).toBe(404);
  }
  const list = await callOk(tenancy, 'GET', '/api/bots', { as: acme.admin });
  expect(list.map((bot: { botId: string }) => bot.botId)).toEqual([theirs]);
});

test('the platform is not a tenant of the API: not listed, read, changed or deleted, and chosen by operators only', async () => {
  const { tenancy, harness, acme } = platform;
  const path = `/api/bots/tenants/${platformTenantId}`;
  for (const [method, body] of [['GET'], ['PUT', { name: 'Mine' }], ['DELETE']] as const) {
    expect([method, (await asOperator(method, path, body)).status]).toEqual([method, 404]);
    expect((await tenancy.call(method, path, { as: acme.admin, body })).status).toBe(403);
  }
  const select = { as: acme.admin, body: { tenantId: platformTenantId } };
  expect((await tenancy.call('POST', '/api/tenant/select', select)).status).toBe(403);
  await selectPlatform();
  const me = await callOk(tenancy, 'GET', '/api/current-user', { as: acme.operator });
  expect(me).toMatchObject({ activeTenantId: platformTenantId, tenants: [] });
  expect(await callOk(tenancy, 'GET', '/api/current-user/tenants', { as: acme.operator })).toEqual([]);
  const rows = await harness.asOwner('select name from tenancy.tenants where is_platform');
  expect(rows).toEqual([{ name: 'Platform' }]);
});

test('a person who stops being an operator no longer acts for the platform', async () => {
  const { acme } = platform;
  await selectPlatform();
  const former = { ...acme.operator, isOperator: false } as Identity;
  expect((await agents.call('GET', '/api/definitions/agents', { as: former })).status).toBe(400);
  expect((await agents.call('GET', '/api/definitions/agents', { as: acme.operator })).status).toBe(200);
});
