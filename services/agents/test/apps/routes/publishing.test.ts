import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AgentsServices, createAgent, openAgentsServices } from '../../agents-services.ts';
import { Apps, orderType } from '../../app-calls.ts';

let services: AgentsServices;
let apps: Apps;
let agentId: string;

beforeAll(async () => {
  services = await openAgentsServices();
  apps = new Apps(services);
  agentId = await createAgent(services, services.acme);
});
afterAll(() => services?.close());

const specOf = (name: string) => ({
  specVersion: 1,
  agents: [{ key: 'desk', agentId }],
  routes: [{ name, agent: 'desk', when: { match: 'default' } }],
});
const currentOf = async (appId: string) => (await apps.callOk('GET', `/${appId}`)).currentVersion;
const routeOf = async (appId: string) =>
  (await apps.callOk('GET', `/${appId}`)).spec?.routes.map(({ name }: { name: string }) => name);

test('a draft runs when it is published, and an earlier version when it is rolled back to', async () => {
  const appId = await apps.create();
  expect(await currentOf(appId)).toBeNull();
  await apps.put(appId, specOf('one'));
  expect(await routeOf(appId)).toBeUndefined();
  expect(await apps.publish(appId)).toBe(1);
  await apps.put(appId, specOf('two'));
  expect(await routeOf(appId)).toEqual(['one']);
  expect(await apps.publish(appId)).toBe(2);
  expect(await routeOf(appId)).toEqual(['two']);
  const rolledBack = await apps.callOk('POST', `/${appId}/rollback`, { body: { version: 1 }, status: 200 });
  expect(rolledBack).toMatchObject({ version: 3, origin: 'rollback', rolledBackTo: 1, isCurrent: true });
  expect(await routeOf(appId)).toEqual(['one']);
  expect((await apps.callOk('GET', `/${appId}/draft`)).spec).toEqual(specOf('two'));
  const versions = await apps.callOk('GET', `/${appId}/versions`);
  expect(versions.map(({ version, origin }: Record<string, unknown>) => [version, origin])).toEqual([
    [3, 'rollback'],
    [2, 'publish'],
    [1, 'publish'],
  ]);
  const page = await apps.call('GET', `/${appId}/versions?limit=2`);
  const next = /<([^>]+)>/.exec(page.headers.get('link') ?? '')?.[1]?.replace('/api/admin/apps', '') ?? '';
  expect((await apps.callOk('GET', next)).map(({ version }: { version: number }) => version)).toEqual([1]);
});

test('a broken draft is stored, reported with all its faults, and runs nothing', async () => {
  const appId = await apps.create();
  await apps.publish(appId, specOf('good') as never);
  const broken = {
    ...specOf('bad'),
    agents: [{ key: 'desk', agentId: services.acme.tenantId }, { key: 'UPPER' }],
    routes: [{ name: 'bad', agent: 'nobody', when: { match: 'default' } }],
    recordTypes: 'none',
  };
  await apps.put(appId, broken);
  const validation = await apps.callOk('POST', `/${appId}/draft/validate`, { status: 200 });
  const expected = ['agents.1.key', 'agents.1.agentId', 'recordTypes', 'routes.0.agent', 'agents.0.agentId'];
  expect(validation.isValid).toBe(false);
  expect(validation.faults.map(({ path }: { path: string }) => path).sort()).toEqual(expected.sort());
  const refused = await apps.call('POST', `/${appId}/publish`, {});
  expect(refused.status).toBe(422);
  expect(refused.body.issues).toEqual(validation.faults);
  expect(await routeOf(appId)).toEqual(['good']);
  expect((await apps.callOk('GET', `/${appId}/draft`)).spec).toEqual(broken);
});

test('a published app does not change when its draft does', async () => {
  const appId = await apps.create();
  await apps.publish(appId, specOf('first') as never);
  const before = await apps.callOk('GET', `/${appId}/versions/1`);
  await apps.publish(appId, specOf('second') as never);
  const after = await apps.callOk('GET', `/${appId}/versions/1`);
  expect(after).toEqual({ ...before, isCurrent: false });
});

test('publishing or rolling back to the running version changes nothing', async () => {
  const appId = await apps.create();
  const spec = { ...specOf('same'), recordTypes: [orderType] };
  expect(await apps.publish(appId, spec as never)).toBe(1);
  expect(await apps.publish(appId)).toBe(1);
  await apps.callOk('POST', `/${appId}/rollback`, { body: { version: 1 }, status: 200 });
  expect(await currentOf(appId)).toBe(1);
});

test('if two people change the same draft, or publish it, the later one gets a conflict', async () => {
  const appId = await apps.create();
  const revision = await apps.put(appId, specOf('mine'));
  const theirs = apps.call('PUT', `/${appId}/draft`, { spec: specOf('theirs'), revision });
  const others = apps.call('PUT', `/${appId}/draft`, { spec: specOf('others'), revision });
  const statuses = (await Promise.all([theirs, others])).map(({ status }) => status).sort();
  expect(statuses).toEqual([200, 409]);
  expect((await apps.call('POST', `/${appId}/publish`, { revision })).status).toBe(409);
});

test('simultaneous publications get one version each, and none is lost', async () => {
  const appId = await apps.create();
  const publish = async (name: string) => {
    await apps.put(appId, specOf(name));
    return (await apps.call('POST', `/${appId}/publish`, {})).status;
  };
  const statuses = await Promise.all(['a', 'b', 'c', 'd'].map(publish));
  expect(statuses).toEqual([200, 200, 200, 200]);
  const versions = await apps.callOk('GET', `/${appId}/versions`);
  const numbers = versions.map(({ version }: { version: number }) => version);
  expect(numbers).toEqual(numbers.map((_: number, index: number) => numbers.length - index));
  expect(versions.filter(({ isCurrent }: { isCurrent: boolean }) => isCurrent)).toHaveLength(1);
});

test('a version whose agent is gone is not rolled back to', async () => {
  const appId = await apps.create();
  const gone = await createAgent(services, services.acme);
  await apps.publish(appId, { agents: [{ key: 'gone', agentId: gone }] });
  await apps.publish(appId, { agents: [] });
  const deleted = await services.agents.call('DELETE', `/api/definitions/agents/${gone}`, {
    as: services.acme.admin,
  });
  expect(deleted.status).toBe(204);
  const refused = await apps.call('POST', `/${appId}/rollback`, { version: 1 });
  expect(refused).toMatchObject({ status: 422, body: { issues: [{ path: 'agents.0.agentId' }] } });
  expect((await apps.call('POST', `/${appId}/rollback`, { version: 99 })).status).toBe(404);
});

test('the last 100 versions are kept', async () => {
  const appId = await apps.create();
  await apps.publish(appId, specOf('first') as never);
  await services.harness.asOwner('update agents.apps set last_version = 100 where app_id = $1', [appId]);
  await apps.publish(appId, specOf('second') as never);
  const versions = await apps.callOk('GET', `/${appId}/versions`);
  expect(versions.map(({ version }: { version: number }) => version)).toEqual([101]);
});

test.each([
  ['too deep', { a: [[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]] }],
  ['no object', [1]],
])('a draft that is %s is 400', async (_what, spec) => {
  const appId = await apps.create();
  expect((await apps.call('PUT', `/${appId}/draft`, { spec })).status).toBe(400);
});
