import { eventually } from '@botyard/testing/eventually';
import { afterEach, expect, test } from 'vitest';
import { FakeService } from '../support/fake-service.ts';
import { getRaw } from '../support/raw-request.ts';
import { type RunningGateway, startGateway } from '../support/start-gateway.ts';

let gateway: RunningGateway | undefined;
afterEach(async () => {
  await gateway?.stop();
  gateway = undefined;
});

async function health(): Promise<{
  code: number;
  body: { status: string; services?: Record<string, string> };
}> {
  const response = await fetch(`${gateway?.url}/api/health`);
  return { code: response.status, body: (await response.json()) as { status: string } };
}
const becomes = (code: number, status: string) =>
  eventually(`it is ${status}`, async () => {
    const now = await health();
    return now.code === code && now.body.status === status && now.body;
  });

test('is "starting" until every service was ready once, then "ok", then "degraded" with the service named', async () => {
  gateway = await startGateway();
  const { keys, agents } = gateway.services;
  keys.readiness = 503;
  expect(await health()).toEqual({
    code: 503,
    body: {
      status: 'starting',
      error: 'not every service is ready: starting',
      services: { tenancy: 'ok', keys: 'not ready', usage: 'ok', webhooks: 'ok', agents: 'ok' },
    },
  });
  keys.readiness = 200;
  expect(await becomes(200, 'ok')).toEqual({ status: 'ok' });
  await agents.stop();
  expect((await becomes(503, 'degraded')).services).toMatchObject({ agents: 'unreachable', keys: 'ok' });
  await agents.start(Number(new URL(agents.url).port));
  await becomes(200, 'ok');
});

test('a service that hangs does not delay the answer', async () => {
  const hanging = new FakeService();
  hanging.readiness = 0;
  await hanging.start();
  gateway = await startGateway({ USAGE_URL: hanging.url }, { probeTimeoutMs: 1000 });
  expect((await becomes(503, 'starting')).services).toMatchObject({ usage: 'no answer in time' });
  await hanging.stop();
});

test('needs no token, in any case and with a trailing slash; only reading is possible', async () => {
  gateway = await startGateway();
  for (const target of ['/API/Health', '/api/health/', '/api/health?x=1']) {
    expect((await getRaw(gateway.port, target)).status).toBe(200);
  }
  const answer = await fetch(`${gateway.url}/api/health`, { method: 'POST', body: 'x' });
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});
