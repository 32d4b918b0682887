import { eventually } from '@botyard/testing/eventually';
import type { Answer } from '@botyard/testing/test-call';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTenancyServices, type TenancyServices } from '../../tenancy-services.ts';

const canary = `123456789:${'canary'.repeat(6)}`;
let services: TenancyServices;
let keysPid: string;
beforeAll(async () => {
  services = await openTenancyServices();
  const { harness } = services;
  await harness.startProcess('keys', {
    OPENAI_API_KEY: canary,
    OPENAI_BASE_URL: `http://u:${canary}@nowhere.invalid/v1`,
  });
  await harness.startProcess('keys', {
    VALIDATE_TIMEOUT_MS: '1234',
    ANTHROPIC_BASE_URL: 'http://nowhere.invalid',
  });
  keysPid = await eventually('both are found', async () => {
    const { body } = await get('/api/system/services');
    const keys = body.find(({ serviceName }: { serviceName: string }) => serviceName === 'keys');
    return keys.instances.length === 2 && keys.instances[0].instanceId;
  });
});
afterAll(() => services?.close());

const get = (path: string): Promise<Answer> =>
  services.tenancy.call('GET', path, { as: services.acme.operator });

test('the settings of both processes, with their sources and without secrets', async () => {
  const { status, body, text } = await get('/api/config');
  expect(status).toBe(200);
  const keys = body.services.find(({ serviceName }: { serviceName: string }) => serviceName === 'keys');
  expect(keys).toMatchObject({ isAnswering: true, instances: 2 });
  expect(keys.differing).toEqual(expect.arrayContaining(['OPENAI_API_KEY', 'VALIDATE_TIMEOUT_MS']));
  const named = (name: string) => keys.settings.find((setting: { name: string }) => setting.name === name);
  expect(named('VALIDATE_TIMEOUT_MS')).toMatchObject({ value: 1234, source: 'environment' });
  expect(named('SECRETS_KEYS')).toEqual({ name: 'SECRETS_KEYS', isSet: true, source: 'environment' });
  for (const secret of [canary, services.harness.secretsKeys]) expect(text).not.toContain(secret);
});

test('a missing setting is shown with the feature that it switches off, and a process that does not answer is named', async () => {
  const { body } = await get('/api/config/status');
  expect(body.status).toBe('unknown');
  expect(body.unanswered).toEqual(['gateway', 'usage', 'webhooks', 'agents']);
  expect(body.missing).toContainEqual({
    serviceName: 'tenancy',
    setting: 'MESSENGER_LOGIN_BOT_TOKEN',
    switchesOff: expect.any(String),
  });
});

test('nothing changes settings', async () => {
  const as = services.acme.operator;
  for (const method of ['PUT', 'PATCH', 'POST', 'DELETE'])
    expect((await services.tenancy.call(method, '/api/config', { as, body: {} })).status).toBe(405);
});

describe('logs', () => {
  test('come from all processes or one service, newest first, up to the limit', async () => {
    const { body } = await get('/api/system/logs?limit=500&level=trace');
    const names = new Set(body.map(({ serviceName }: { serviceName: string }) => serviceName));
    expect(names).toEqual(new Set(['tenancy', 'keys']));
    const times = body.map(({ at }: { at: string }) => at);
    expect(times).toEqual([...times].sort().reverse());
    const { body: few } = await get('/api/system/logs?limit=1&service=keys&text=STARTED');
    expect(few).toMatchObject([{ serviceName: 'keys', message: 'started' }]);
    expect((await get('/api/system/logs?service=nobody')).status).toBe(404);
    expect((await get('/api/system/logs?limit=501')).status).toBe(400);
  });

  test('contain no secret', async () => {
    const { text } = await get('/api/system/logs?limit=500&level=trace');
    for (const secret of ['canary', services.harness.secretsKeys]) expect(text).not.toContain(secret);
  });
});

test('figures are added up over processes, and percentiles are shown for each route', async () => {
  const { body: metrics } = await get('/api/system/metrics');
  const keys = metrics.services.find(({ serviceName }: { serviceName: string }) => serviceName === 'keys');
  expect(keys.total.processes).toBe(2);
  expect(keys.total.residentBytes).toBe(
    keys.instances.reduce((sum: number, one: { residentBytes: number }) => sum + one.residentBytes, 0),
  );
  expect(keys.queues).toEqual({ outbox: 0, dead_letters: 0 });
  const { body: performance } = await get('/api/system/performance');
  const route = performance.routes.find(({ route }: { route: string }) => route === '/api/system/services');
  expect(route).toMatchObject({ serviceName: 'tenancy', method: 'GET', failed: 0 });
  expect(route.p99Ms).toBeGreaterThanOrEqual(route.p50Ms);
  const { body: info } = await get('/api/system/info');
  expect(info).toMatchObject({
    postgres: expect.stringMatching(/^\d+/),
    nats: expect.stringMatching(/^\d+/),
  });
  expect(performance.eventLoops).toHaveLength(3);
  expect(performance.pools.every(({ waiting }: { waiting: number }) => waiting === 0)).toBe(true);
});

test('a process without a supervisor is not ended, and the round reports it', async () => {
  const path = '/api/system/services/tenancy/restart';
  expect((await get(path)).status).toBe(404);
  const begun = await services.tenancy.call('POST', path, { as: services.acme.operator });
  expect(begun.status).toBe(202);
  const round = await eventually('it is over', async () => {
    const { body } = await get(path);
    return body.state !== 'running' && body;
  });
  expect(round).toMatchObject({ state: 'failed', reason: expect.stringContaining('can not be restarted') });
  expect(keysPid).toMatch(/^[0-9a-f]{32}$/);
});
