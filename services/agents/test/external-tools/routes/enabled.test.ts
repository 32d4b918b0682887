import { integrationsRouter } from '@botyard/contracts/http/integrations';
import { integrationsAdminRouter } from '@botyard/contracts/http/integrations-admin';
import { toolServersRouter } from '@botyard/contracts/http/integrations-servers';
import { toolsRouter } from '@botyard/contracts/http/tools';
import { readConfig } from '@botyard/shared/config/config';
import { ServiceHarness, type TestService } from '@botyard/testing/service-harness';
import { anonymous, user } from '@botyard/testing/test-call';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApp } from '../../../src/app.ts';
import { agentsConfig } from '../../../src/config.ts';

let harness: ServiceHarness;

beforeAll(async () => {
  harness = await ServiceHarness.open();
});
afterAll(() => harness?.close());

const start = (env: Record<string, string>): Promise<TestService> =>
  harness.start({ service: 'agents', schema: agentsConfig, createApp, env });

const routers = [toolsRouter, toolServersRouter, integrationsRouter, integrationsAdminRouter];
const paths = [
  ...routers.flatMap(({ basePath, routes }) =>
    Object.values(routes).map(({ path }) => `${basePath}${path}`.replace(/:\w+/g, 'x')),
  ),
  ...routers.flatMap(({ basePath }) => [basePath, `${basePath}/`, `${basePath}/no/such/path`]),
  '/API/Tools/connect',
];
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const callers = [null, anonymous, user('user_stranger')];
const cells = paths.flatMap((path) =>
  methods.flatMap((method) => callers.map((as) => ({ path, method, as }))),
);

/** The routes that do not answer 503 with a `Retry-After`. */
async function open(agents: TestService): Promise<string[]> {
  const answered = cells.map(async ({ path, method, as }) => {
    const broken = method === 'GET' || method === 'OPTIONS' ? {} : { rawBody: '{not json' };
    const { status, headers } = await agents.call(method, path, { as, ...broken });
    const isShut = status === 503 && headers.get('retry-after') !== null;
    return isShut ? [] : [`${method} ${path} as ${as?.kind ?? 'nobody'}: ${status}`];
  });
  return (await Promise.all(answered)).flat();
}

test.each([undefined, 'TRUE'])(
  'with %j every path and method is 503 for everybody and for any request',
  async (value) => {
    const agents = await start(value === undefined ? {} : { TOOL_INTEGRATIONS_ENABLED: value });
    const faults = await open(agents);
    process.stdout.write(`external tools off: ${cells.length} calls, ${faults.length} not 503\n`);
    expect(faults).toEqual([]);
    await agents.stop();
  },
);

test('nothing but exactly `true` switches external tools on', () => {
  const others = [
    '',
    'TRUE',
    'True',
    '1',
    'yes',
    ' true',
    'true ',
    'true\n',
    'on',
    'false',
    '0',
    'tru\u0435',
    '"true"',
  ];
  const env = harness.envOf('agents');
  const isOn = (value: string) =>
    readConfig(agentsConfig, { ...env, TOOL_INTEGRATIONS_ENABLED: value }).TOOL_INTEGRATIONS_ENABLED;
  expect(others.filter(isOn)).toEqual([]);
  expect(isOn('true')).toBe(true);
  expect(readConfig(agentsConfig, env).TOOL_INTEGRATIONS_ENABLED).toBe(false);
});

test('neighbouring paths are not shut with them', async () => {
  const agents = await start({});
  for (const path of ['/api/toolsmith', '/api/integrations-x', '/api/admin', '/api/admin/integrationsx'])
    expect([path, (await agents.call('GET', path, { as: anonymous })).status]).toEqual([path, 404]);
  await agents.stop();
});

test('with `true` a path is open only to permitted callers', async () => {
  const agents = await start({ TOOL_INTEGRATIONS_ENABLED: 'true' });
  expect((await agents.call('GET', '/api/integrations/access-rules', { as: null })).status).toBe(401);
  expect((await agents.call('GET', '/api/integrations/nothing', { as: anonymous })).status).toBe(404);
  await agents.stop();
});
