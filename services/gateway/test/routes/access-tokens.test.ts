import { type FakeIdp, startFakeIdp } from '@botyard/testing/fake-idp';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type RunningGateway, startGateway } from '../support/start-gateway.ts';

const ours = 'https://bots.example.com';
const metadataPath = '/.well-known/oauth-protected-resource/api/mcp';
let idp: FakeIdp;
let gateway: RunningGateway | undefined;
beforeEach(async () => {
  idp = await startFakeIdp();
});
afterEach(async () => {
  await gateway?.stop();
  gateway = undefined;
  await idp.close();
});

const start = async (env: Record<string, string> = {}) => {
  gateway = await startGateway({ IDP_ISSUER: idp.issuer, PUBLIC_BASE_URL: ours, ...env });
};
const call = (path: string, { scope, method = 'GET' }: { scope?: string; method?: string } = {}) =>
  callWith(path, method, scope === undefined ? undefined : tokenWith(scope));
const tokenWith = (scope: string) => idp.accessToken({ userId: 'user_1', scope, resource: ours });
const callWith = async (path: string, method: string, token?: string | Promise<string>) => {
  const bearer = await token;
  const headers: Record<string, string> = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
  const response = await fetch(`${gateway?.url}${path}`, { method, headers });
  return {
    status: response.status,
    challenge: response.headers.get('www-authenticate'),
    body: (await response.json().catch(() => undefined)) as unknown,
  };
};

test.each([
  ['botyard:read', 'GET', 200],
  ['botyard:read', 'POST', 403],
  ['botyard:read', 'PUT', 403],
  ['botyard:read', 'PATCH', 403],
  ['botyard:read', 'DELETE', 403],
  ['botyard:read', 'OPTIONS', 403],
  ['botyard:write', 'GET', 200],
  ['botyard:write', 'DELETE', 200],
  ['openid', 'GET', 403],
])('the scope %s makes %s %i', async (scope, method, status) => {
  await start({ IDP_ACCESS_TOKENS: 'true' });
  expect((await call('/api/bots', { scope, method })).status).toBe(status);
  expect(gateway?.arrivals()).toHaveLength(status === 200 ? 1 : 0);
});

test('J-11: a remembered access token stays bound to its scope', async () => {
  await start({ IDP_ACCESS_TOKENS: 'true' });
  const token = await tokenWith('botyard:read');
  for (const status of [403, 403]) expect((await callWith('/api/bots', 'POST', token)).status).toBe(status);
  expect((await callWith('/api/bots', 'GET', token)).status).toBe(200);
});

test('only the tenant that the service admits is reached: the wish of the client is passed on as it is', async () => {
  await start({ IDP_ACCESS_TOKENS: 'true' });
  const headers = { authorization: `Bearer ${await tokenWith('botyard:read')}`, 'x-tenant-id': 'foreign' };
  await fetch(`${gateway?.url}/api/agents`, { headers });
  const arrival = gateway?.services.agents.last;
  expect(arrival?.headers['x-tenant-id']).toBe('foreign');
  expect(arrival && (await gateway?.identityOf(arrival, 'agents'))).toMatchObject({ idpUserId: 'user_1' });
});

test('a client of the MCP server learns where its person signs in', async () => {
  await start({ IDP_ACCESS_TOKENS: 'true' });
  expect(await call('/api/mcp')).toEqual({
    status: 401,
    challenge: `Bearer resource_metadata="${ours}${metadataPath}", scope="botyard:read botyard:write"`,
    body: { error: 'authentication is required' },
  });
  expect((await call('/api/bots')).challenge).toBe('Bearer');
  expect(await call(metadataPath)).toEqual({
    status: 200,
    challenge: null,
    body: {
      resource: `${ours}/api/mcp`,
      authorization_servers: [idp.issuer],
      scopes_supported: ['botyard:read', 'botyard:write'],
      bearer_methods_supported: ['header'],
      resource_name: 'Botyard',
    },
  });
});

test('without the setting the gate is as it was: no access token, no metadata, the plain challenge', async () => {
  await start();
  expect((await call('/api/bots', { scope: 'botyard:read botyard:write' })).status).toBe(401);
  expect(await call('/api/mcp')).toMatchObject({ status: 401, challenge: 'Bearer' });
  expect((await call(metadataPath)).status).toBe(404);
  expect((await callWith('/api/bots', 'DELETE', idp.sessionToken({ userId: 'user_1' }))).status).toBe(200);
});
