import { createHmac } from 'node:crypto';
import { createLog } from '@botyard/shared/log/log';
import { type FakeIdp, startFakeIdp } from '@botyard/testing/fake-idp';
import type { AccessTokenOptions } from '@botyard/testing/idp/oauth';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SessionKeys } from '../../src/clients/session-keys.ts';
import { createSessionVerifier, type VerifySession } from '../../src/domain/session-token.ts';
import type { TokenRefusal } from '../../src/domain/token-refusal.ts';

const ours = 'https://bots.example.com';
let idp: FakeIdp;
let keys: SessionKeys;
let verify: VerifySession;
let verifyWhileOff: VerifySession;
let refusals: TokenRefusal[] = [];

beforeAll(async () => {
  idp = await startFakeIdp();
  keys = new SessionKeys({ url: idp.jwksUrl, log: createLog('test', 'silent'), now: Date.now });
  const rules = {
    issuer: idp.issuer,
    authorizedParties: ['https://app.example.com'],
    platformOrgId: 'org_platform',
    keys: keys.get,
    now: Date.now,
    onRefused: (refusal: TokenRefusal) => refusals.push(refusal),
  };
  verify = createSessionVerifier({ ...rules, accessTokensFor: ours });
  verifyWhileOff = createSessionVerifier(rules);
});
afterAll(async () => {
  keys.stop();
  await idp.close();
});

const token = (options: Partial<AccessTokenOptions> = {}) =>
  idp.accessToken({ userId: 'user_1', resource: `${ours}/api/mcp`, ...options });
const now = () => Math.floor(Date.now() / 1000);
const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('a good access token', () => {
  test('names its person and its client, and needs no authorized party', async () => {
    const session = await verify(await token({ clientId: 'client_7' }));
    expect(session?.grant).toBe('all');
    expect(session?.identity).toEqual({
      kind: 'user',
      idpUserId: 'user_1',
      sessionId: 'client:client_7',
      isOperator: false,
    });
  });

  test.each([
    ['botyard:read botyard:write', 'all'],
    ['botyard:write', 'all'],
    ['openid botyard:read', 'read'],
    ['openid', 'nothing'],
    ['', 'nothing'],
    ['botyard:writes botyard:read', 'read'],
    ['Botyard:Write', 'nothing'],
  ])('with the scope %j grants %s', async (scope, grant) => {
    expect((await verify(await token({ scope })))?.grant).toBe(grant);
  });

  test.each([
    ['aud', ours],
    ['aud', `${ours}/`],
    ['aud', 'https://BOTS.example.com:443/api/mcp'],
    ['aud', ['https://other.example.com', `${ours}/api`]],
    ['resource', ours],
  ])('names us as %s: %j', async (claim, address) => {
    const claims = { aud: undefined, [claim]: address };
    expect(await verify(await token({ claims }))).not.toBeNull();
  });

  test('never makes an operator, whatever its organization', async () => {
    const claims = { o: { id: 'org_platform', rol: 'admin' } };
    const session = await verify(await token({ claims }));
    expect(session?.identity).toMatchObject({ isOperator: false, org: { id: 'org_platform' } });
  });
});

describe('J-11: a bad access token is refused', () => {
  test.each<[string, Partial<AccessTokenOptions>]>([
    ['for another API', { resource: 'https://other.example.com' }],
    ['for a path that is not ours', { resource: `${ours}/api/keys` }],
    ['for an address that begins like ours', { resource: `${ours}.attacker.test` }],
    ['for nobody', { claims: { aud: undefined } }],
    ['for an audience of the wrong form', { claims: { aud: { url: ours } } }],
    ['of another issuer', { claims: { iss: 'https://other.example.com' } }],
    ['without an end', { claims: { exp: undefined } }],
    ['without a beginning', { claims: { iat: undefined } }],
    ['that has ended', { expiresInSeconds: -10 }],
    ['of the future', { claims: { iat: now() + 3600, exp: now() + 7200 } }],
    ['that is valid for more than a day', { expiresInSeconds: 24 * 3600 + 1 }],
    ['without a person', { claims: { sub: undefined } }],
    ['of a program alone', { claims: { sub: 'client_1' } }],
    ['without a client', { claims: { client_id: undefined } }],
    ['with a list of scopes', { claims: { scope: ['botyard:read', 'botyard:write'] } }],
    ['without a scope', { claims: { scope: undefined } }],
    ['with a forged signature', { isForged: true }],
    ['that is huge', { claims: { filler: 'x'.repeat(8192) } }],
  ])('%s', async (_what, options) => {
    expect(await verify(await token(options))).toBeNull();
  });

  test.each(['none', 'HS256'])('with the algorithm %s', async (alg) => {
    const [, payload = ''] = (await token()).split('.');
    const unsigned = `${base64url({ alg, typ: 'at+jwt' })}.${payload}`;
    const signature =
      alg === 'none'
        ? ''
        : createHmac('sha256', JSON.stringify(idp.jwksUrl)).update(unsigned).digest('base64url');
    expect(await verify(`${unsigned}.${signature}`)).toBeNull();
  });

  test('and the setting that does not match is named', async () => {
    refusals = [];
    await verify(await token({ resource: 'https://other.example.com' }));
    expect(refusals).toEqual([expect.objectContaining({ setting: 'PUBLIC_BASE_URL', cause: 'audience' })]);
  });
});

describe('a session token', () => {
  const session = (claims: Record<string, unknown>) =>
    idp.sessionToken({ userId: 'user_1', claims: { azp: 'https://app.example.com', ...claims } });

  test('with a claim named scope stays a session token', async () => {
    const verified = await verify(await session({ scope: 'botyard:read', sid: 'sess_1' }));
    expect(verified).toMatchObject({ grant: 'all', identity: { sessionId: 'sess_1' } });
  });

  test('that names a client has to be a good access token', async () => {
    expect(await verify(await session({ client_id: 'client_1', scope: 'botyard:write' }))).toBeNull();
  });

  test('an access token with the claims of a session gets no more than its scope', async () => {
    const claims = { sid: 'sess_1', azp: 'https://app.example.com', sts: 'active' };
    expect((await verify(await token({ scope: 'botyard:read', claims })))?.grant).toBe('read');
  });
});

test('while access tokens are not accepted, none is, and session tokens are verified as ever', async () => {
  expect(await verifyWhileOff(await token())).toBeNull();
  const claims = { azp: 'https://app.example.com', client_id: 'client_1', sid: 'sess_1' };
  const session = await verifyWhileOff(await idp.sessionToken({ userId: 'user_1', claims }));
  expect(session).toMatchObject({ grant: 'all', identity: { sessionId: 'sess_1' } });
});
