import { createHmac } from 'node:crypto';
import { createLog } from '@botyard/shared/log/log';
import { type FakeIdp, type SessionTokenOptions, startFakeIdp } from '@botyard/shared/testing/fake-idp';
import { exportSPKI, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SessionKeys } from '../../src/clients/session-keys.ts';
import {
  createSessionVerifier,
  type SessionRules,
  type VerifySession,
} from '../../src/domain/session-token.ts';

let idp: FakeIdp;
let keys: SessionKeys;
let verify: VerifySession;

const verifierWith = (rules: Partial<SessionRules>): VerifySession =>
  createSessionVerifier({
    issuer: idp.issuer,
    authorizedParties: [],
    platformOrgId: 'org_platform',
    keys: keys.get,
    now: Date.now,
    ...rules,
  });

const token = (options: Partial<SessionTokenOptions> = {}) =>
  idp.sessionToken({ userId: 'user_1', ...options });
const nowSeconds = () => Math.floor(Date.now() / 1000);
const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

beforeAll(async () => {
  idp = await startFakeIdp();
  keys = new SessionKeys({ url: idp.jwksUrl, log: createLog('test', 'silent'), now: Date.now });
  verify = verifierWith({});
});
afterAll(async () => {
  keys.stop();
  await idp.close();
});

describe('a good token', () => {
  test('names the user, the session and when it ends', async () => {
    const session = await verify(await token({ claims: { sid: 'sess_1', email: 'a@b.test', name: 'Ann' } }));
    expect(session?.identity).toEqual({
      kind: 'user',
      idpUserId: 'user_1',
      sessionId: 'sess_1',
      email: 'a@b.test',
      name: 'Ann',
      isOperator: false,
    });
    expect(session?.expiresAtMs).toBeGreaterThan(Date.now() + 50_000);
  });

  test.each([1, 2] as const)('carries its organization, version %d', async (version) => {
    const session = await verify(await token({ orgId: 'org_1', orgRole: 'org:admin', version }));
    expect(session?.identity).toMatchObject({ org: { id: 'org_1', role: 'org:admin' }, isOperator: false });
  });

  test.each([
    ['org_platform', 'org:admin', true],
    ['org_platform', 'org:member', false],
    ['org_other', 'org:admin', false],
  ])('of %s with %s: operator is %s', async (orgId, orgRole, isOperator) => {
    const session = await verify(await token({ orgId, orgRole }));
    expect(session?.identity.isOperator).toBe(isOperator);
  });

  test('makes nobody an operator while no platform organization is named', async () => {
    const session = await verifierWith({ platformOrgId: undefined })(
      await token({ claims: { o: { rol: 'admin' } } }),
    );
    expect(session?.identity.isOperator).toBe(false);
  });

  test.each([
    ['expired for 3 s', () => ({ exp: nowSeconds() - 3 })],
    ['not valid for another 4 s', () => ({ nbf: nowSeconds() + 4 })],
    ['issued in 4 s', () => ({ iat: nowSeconds() + 4 })],
    ['without nbf', () => ({ nbf: undefined })],
    ['with extra claims', () => ({ act: { sub: 'user_2' }, fea: 'o:x', pla: 'o:y' })],
  ])('may be %s', async (_name, claims) => {
    expect(await verify(await token({ claims: claims() }))).not.toBeNull();
  });

  test.each(['ES256', 'EdDSA'])('may be signed with %s', async (alg) => {
    const pair = await generateKeyPair(alg);
    const signed = await new SignJWT({ sub: 'user_1', sid: 'sess_1' })
      .setProtectedHeader({ alg })
      .setIssuer(idp.issuer)
      .setIssuedAt()
      .setExpirationTime('1m')
      .sign(pair.privateKey);
    expect(await verifierWith({ keys: async () => pair.publicKey })(signed)).not.toBeNull();
  });
});

describe('refused', () => {
  test.each([
    ['expired for 6 s', () => ({ exp: nowSeconds() - 6 })],
    ['without exp', () => ({ exp: undefined })],
    ['exp as text', () => ({ exp: 'never' })],
    ['not valid for another 7 s', () => ({ nbf: nowSeconds() + 7 })],
    ['issued in 7 s', () => ({ iat: nowSeconds() + 7 })],
    ['without iat', () => ({ iat: undefined })],
    ['of another issuer', () => ({ iss: 'https://other.test' })],
    ['without an issuer', () => ({ iss: undefined })],
    ['pending', () => ({ sts: 'pending' })],
    ['without sub', () => ({ sub: undefined })],
    ['with a number as sub', () => ({ sub: 7 })],
    ['without sid', () => ({ sid: undefined })],
    ['with an empty sid', () => ({ sid: '' })],
    ['with a list as sid', () => ({ sid: ['a'] })],
  ])('%s', async (_name, claims) => {
    expect(await verify(await token({ claims: claims() }))).toBeNull();
  });

  test.each(['', 'x', 'a.b.c', '....', 'eyJhbGciOiJSUzI1NiJ9..', '\u0000'])('garbage %j', async (garbage) => {
    expect(await verify(garbage)).toBeNull();
  });

  test('a forged signature, and a changed payload', async () => {
    expect(await verify(await token({ isForged: true }))).toBeNull();
    const [header, , signature] = (await token()).split('.');
    const payload = base64url({
      sub: 'user_2',
      sid: 's',
      iss: idp.issuer,
      iat: nowSeconds(),
      exp: nowSeconds() + 60,
    });
    expect(await verify(`${header}.${payload}.${signature}`)).toBeNull();
  });

  test.each(['none', 'None', 'nOnE'])('the algorithm %s', async (alg) => {
    const [, payload] = (await token()).split('.');
    expect(await verify(`${base64url({ alg, typ: 'JWT' })}.${payload}.`)).toBeNull();
  });

  test('HS256 with the public key as its secret', async () => {
    const [header = '', payload = ''] = (await token()).split('.');
    const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString()) as { kid: string };
    const set = (await (await fetch(idp.jwksUrl)).json()) as { keys: JWK[] };
    const published = set.keys.find((key) => key.kid === kid)!;
    const pem = await exportSPKI((await importJWK(published, 'RS256')) as CryptoKey);
    for (const secret of [pem, JSON.stringify(published)]) {
      const signed = `${base64url({ alg: 'HS256', kid, typ: 'JWT' })}.${payload}`;
      const signature = createHmac('sha256', secret).update(signed).digest('base64url');
      expect(await verify(`${signed}.${signature}`)).toBeNull();
    }
  });

  test.each(['RS384', 'RS512', 'PS256'])('%s, though its key is good', async (alg) => {
    const pair = await generateKeyPair(alg);
    const signed = await new SignJWT({ sub: 'user_1', sid: 'sess_1' })
      .setProtectedHeader({ alg })
      .setIssuer(idp.issuer)
      .setIssuedAt()
      .setExpirationTime('1m')
      .sign(pair.privateKey);
    expect(await verifierWith({ keys: async () => pair.publicKey })(signed)).toBeNull();
  });
});

test('with authorized parties named, only their tokens are good', async () => {
  const strict = verifierWith({ authorizedParties: ['https://app.test'] });
  expect(await strict(await token({ claims: { azp: 'https://app.test' } }))).not.toBeNull();
  expect(await strict(await token({ claims: { azp: 'https://evil.test' } }))).toBeNull();
  expect(await strict(await token())).toBeNull();
  expect(await verify(await token({ claims: { azp: 'https://evil.test' } }))).not.toBeNull();
});
