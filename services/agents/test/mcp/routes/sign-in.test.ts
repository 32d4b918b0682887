import { withPlatform } from '@botyard/shared/db/database';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { removeEndedSignIns } from '../../../src/mcp/store/sign-ins.ts';
import { asAdmin } from '../../integrations-fixture.ts';
import {
  addServer,
  authorize,
  begin,
  beHonest,
  comeBack,
  openSignInFixture,
  refresh,
  type SignInFixture,
  serversPath,
  signIn,
} from '../sign-in-fixture.ts';

let fixture: SignInFixture;
beforeAll(async () => {
  fixture = await openSignInFixture();
});
beforeEach(() => beHonest(fixture));
afterAll(() => fixture?.close());

const grants = () => fixture.harness.asOwner('select * from agents.server_grants');

test('an admin signs in to a server, whose tools are then read with the token', async () => {
  const serverId = await addServer(fixture);
  expect(await refresh(fixture, serverId)).toMatchObject({ state: 'needs_authorization' });
  const answer = await signIn(fixture, serverId);
  expect(answer.status).toBe(200);
  expect(answer.text).toContain(`href="/agents/servers/${serverId}"`);
  expect(answer.text).not.toContain('<script');
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
  const server = await refresh(fixture, serverId);
  expect(server).toMatchObject({ state: 'ready', lastError: null, authorization: { type: 'oauth' } });
  const stored = JSON.stringify(await grants());
  for (const token of fixture.authority.tokens)
    expect(`${stored} ${JSON.stringify(server)}`).not.toContain(token);
});

test('the sign-in asks for one resource, with PKCE, and registers Botyard where it has no client', async () => {
  const serverId = await addServer(fixture);
  const { searchParams } = new URL((await begin(fixture, serverId)).url);
  expect(Object.fromEntries(searchParams)).toMatchObject({
    client_id: 'client-1',
    code_challenge_method: 'S256',
    resource: fixture.server.url,
    redirect_uri: 'http://localhost:3001/oauth/callback',
    scope: 'tools',
  });
  await signIn(fixture, serverId);
  expect(fixture.authority.at('/token')).toMatchObject([{ resource: fixture.server.url }]);
});

test("an admin's own client is used with its secret, which no answer returns", async () => {
  const serverId = await addServer(fixture, { clientId: 'ours', clientSecret: 'canary-secret' });
  expect((await signIn(fixture, serverId)).status).toBe(200);
  expect(fixture.authority.registered).toEqual([]);
  expect(fixture.authority.at('/token')).toMatchObject([
    { client_id: 'ours', client_secret: 'canary-secret' },
  ]);
  const { text, body } = await asAdmin(fixture, 'GET', `${serversPath}/${serverId}`);
  expect(body.authorization).toEqual({ type: 'oauth', clientId: 'ours' });
  expect(text).not.toContain('canary-secret');
});

test('a state works once, in the browser that began it, and for ten minutes', async () => {
  const serverId = await addServer(fixture);
  const { url, cookie } = await begin(fixture, serverId);
  const others = await begin(fixture, serverId);
  const query = fixture.authority.consent(url);
  for (const wrong of [undefined, others.cookie, `${cookie}; ${cookie}`])
    expect((await comeBack(fixture, query, wrong)).status).toBe(403);
  expect(await grants()).toEqual([]);
  const ends = await Promise.all([1, 2, 3].map(() => comeBack(fixture, query, cookie)));
  expect(ends.map(({ status }) => status).sort()).toEqual([200, 403, 403]);
  await fixture.harness.asOwner(`update agents.server_sign_ins set expires_at = now() - interval '1 second'`);
  const late = await comeBack(fixture, fixture.authority.consent(others.url), others.cookie);
  expect(late.status).toBe(403);
});

test('a sign-in that nobody completed in time is forgotten', async () => {
  const serverId = await addServer(fixture);
  await begin(fixture, serverId);
  await fixture.harness.asOwner(`update agents.server_sign_ins set expires_at = now() - interval '1 second'`);
  await begin(fixture, serverId);
  await withPlatform(fixture.harness.databaseAs('agents'), 'test', removeEndedSignIns);
  expect(await fixture.harness.asOwner('select from agents.server_sign_ins')).toHaveLength(1);
});

test('a code of another authorization server is sent nowhere', async () => {
  const serverId = await addServer(fixture);
  const { url, cookie } = await begin(fixture, serverId);
  const mixedUp = fixture.authority.consent(url);
  mixedUp.set('iss', fixture.stranger.issuer);
  expect((await comeBack(fixture, mixedUp, cookie)).status).toBe(422);
  const again = await begin(fixture, serverId);
  const withoutIssuer = fixture.authority.consent(again.url);
  withoutIssuer.delete('iss');
  expect((await comeBack(fixture, withoutIssuer, again.cookie)).status).toBe(422);
  expect(fixture.authority.at('/token')).toEqual([]);
  expect(await grants()).toEqual([]);
});

test('a server that names another authorization server later gets no client secret and no token', async () => {
  const serverId = await addServer(fixture, { clientId: 'ours', clientSecret: 'canary-secret' });
  await signIn(fixture, serverId);
  fixture.resource = { authorization_servers: [fixture.stranger.issuer] };
  const refused = await authorize(fixture, serverId);
  expect(refused.status).toBe(422);
  expect(refused.body.error).toContain('another authorization server');
  expect(fixture.stranger.at('/token')).toEqual([]);
});

test.each([
  ['about another server', () => ({ resource: 'https://elsewhere.example/mcp' }), 'about another server'],
  [
    'that lead to a private address',
    () => ({ authorization_servers: ['http://169.254.169.254/latest'] }),
    'https',
  ],
])('metadata %s are refused', async (_name, resource, reason) => {
  const serverId = await addServer(fixture);
  fixture.resource = resource();
  const answer = await authorize(fixture, serverId);
  expect(answer.status).toBe(422);
  expect(answer.body.error).toContain(reason);
  expect(fixture.authority.registered).toEqual([]);
});

test.each([
  ['without PKCE', { code_challenge_methods_supported: undefined }],
  ['with a page that is a script', { authorization_endpoint: 'javascript:alert(1)' }],
  ['with a page on a private address', { authorization_endpoint: 'https://10.0.0.1/authorize' }],
  ['that calls itself otherwise', { issuer: 'https://other.example' }],
])('an authorization server %s is not used', async (_name, metadata) => {
  const serverId = await addServer(fixture);
  fixture.authority.metadata = metadata;
  expect([422, 503]).toContain((await authorize(fixture, serverId)).status);
  expect(fixture.authority.registered).toEqual([]);
});

test('redirects and endless metadata of an authorization server are refused', async () => {
  const serverId = await addServer(fixture);
  fixture.authority.misbehave = (_path, res) => {
    res.writeHead(302, { location: 'http://169.254.169.254/' }).end();
    return true;
  };
  expect((await authorize(fixture, serverId)).body.error).toContain('redirects are not followed');
  fixture.authority.misbehave = (_path, res) => {
    res.writeHead(200, { 'content-type': 'application/json' });
    const more = () => {
      while (res.write(' '.repeat(64 * 1024)));
    };
    res.on('drain', more);
    more();
    return true;
  };
  const endless = await authorize(fixture, serverId);
  expect(endless.status).toBe(422);
  expect(endless.body.error).toContain('more than is read');
});

test('a token is renewed before its end, once for many calls at a time', async () => {
  const serverId = await addServer(fixture);
  await signIn(fixture, serverId);
  const due = `update agents.server_grants set renew_at = now() - interval '1 second'`;
  await fixture.harness.asOwner(due);
  const states = await Promise.all([1, 2, 3, 4].map(() => refresh(fixture, serverId)));
  expect(states.map(({ state }) => state)).toEqual(['ready', 'ready', 'ready', 'ready']);
  const renewals = () => fixture.authority.at('/token').filter((form) => form.grant_type === 'refresh_token');
  expect(renewals()).toMatchObject([{ resource: fixture.server.url }]);
  await fixture.harness.asOwner(due);
  expect(await refresh(fixture, serverId)).toMatchObject({ state: 'ready' });
  expect(renewals()).toHaveLength(2);
});

test('a renewal that another process has begun is not begun again while the token is good', async () => {
  const serverId = await addServer(fixture);
  await signIn(fixture, serverId);
  await fixture.harness.asOwner(
    `update agents.server_grants set renew_at = now(), renewing_until = now() + interval '30 seconds'`,
  );
  expect(await refresh(fixture, serverId)).toMatchObject({ state: 'ready' });
  expect(fixture.authority.at('/token')).toHaveLength(1);
});

test('a grant whose renewal is refused is gone, and somebody has to sign in again', async () => {
  const serverId = await addServer(fixture);
  await signIn(fixture, serverId);
  await fixture.harness.asOwner('update agents.server_grants set renew_at = now()');
  fixture.authority.tokenError = 'invalid_grant';
  expect(await refresh(fixture, serverId)).toMatchObject({
    state: 'needs_authorization',
    lastError: 'an admin has to sign in to this server',
  });
  expect(await grants()).toEqual([]);
});

test('an authorization server that is away costs nothing while the token is good', async () => {
  const serverId = await addServer(fixture);
  await signIn(fixture, serverId);
  await fixture.harness.asOwner('update agents.server_grants set renew_at = now()');
  fixture.authority.misbehave = (_path, res) => {
    res.destroy();
    return true;
  };
  expect(await refresh(fixture, serverId)).toMatchObject({ state: 'ready' });
  expect(await grants()).toHaveLength(1);
});

test('a grant is revoked when the server is deleted, moved or authorized otherwise', async () => {
  const changes = [
    (path: string) => asAdmin(fixture, 'DELETE', path),
    (path: string) => asAdmin(fixture, 'PUT', path, { url: `${fixture.server.url}/elsewhere` }),
    (path: string) => asAdmin(fixture, 'PUT', path, { authorization: { type: 'none' } }),
  ];
  for (const change of changes) {
    await beHonest(fixture);
    const serverId = await addServer(fixture);
    await signIn(fixture, serverId);
    expect((await change(`${serversPath}/${serverId}`)).status).toBeLessThan(300);
    expect(fixture.authority.revoked).toEqual([expect.stringMatching(/^refresh-/)]);
    expect(await grants()).toEqual([]);
  }
});

test('a sign-in that was begun before the server changed stores nothing', async () => {
  const serverId = await addServer(fixture);
  const { url, cookie } = await begin(fixture, serverId);
  await asAdmin(fixture, 'PUT', `${serversPath}/${serverId}`, { authorization: { type: 'none' } });
  expect((await comeBack(fixture, fixture.authority.consent(url), cookie)).status).toBe(403);
  expect(await grants()).toEqual([]);
});

test('a person who cancelled, or brings no code, ends the sign-in', async () => {
  const serverId = await addServer(fixture);
  const { url, cookie } = await begin(fixture, serverId);
  const state = new URL(url).searchParams.get('state') ?? '';
  const cancelled = await comeBack(fixture, new URLSearchParams({ state, error: 'access_denied' }), cookie);
  expect(cancelled.status).toBe(200);
  expect(cancelled.text).toContain('cancelled');
  expect((await comeBack(fixture, new URLSearchParams({ state: 'short' }), cookie)).status).toBe(400);
});

test('sealed tokens open for no other authorization server', async () => {
  const serverId = await addServer(fixture);
  await signIn(fixture, serverId);
  const { issuer } = fixture.stranger;
  await fixture.harness.asOwner('update agents.tool_servers set issuer = $1', [issuer]);
  expect(await refresh(fixture, serverId)).toMatchObject({ state: 'needs_authorization' });
  await fixture.harness.asOwner('update agents.server_grants set issuer = $1', [issuer]);
  const sent = fixture.server.received.length;
  const path = `${serversPath}/${serverId}/refresh`;
  expect((await asAdmin(fixture, 'POST', path)).status).toBe(500);
  expect(fixture.server.received).toHaveLength(sent);
});

test('a server with another authorization has no sign-in', async () => {
  const body = { name: 'Open', url: fixture.server.url };
  const { serverId } = (await asAdmin(fixture, 'POST', serversPath, body)).body;
  expect((await authorize(fixture, serverId)).status).toBe(409);
});
