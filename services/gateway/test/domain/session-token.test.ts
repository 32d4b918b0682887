import { createHmac, type webcrypto } from 'node:crypto';
import { createLog } from '@botyard/shared/log/log';
import { type FakeIdp, type SessionTokenOptions, startFakeIdp } from '@botyard/testing/fake-idp';
import { exportJWK, exportSPKI, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose';
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

  test('makes no caller an operator while no platform organization is configured', async () => {
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
  ])('J-04: may be %s', async (_name, claims) => {
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
  const claims: [string, () => Record<string, unknown>][] = [
    ['J-04: expired for 6 s', () => ({ exp: nowSeconds() - 6 })],
    ['J-04: without exp', () => ({ exp: undefined })],
    ['J-04: exp as text', () => ({ exp: 'never' })],
    ['J-04: not valid for another 7 s', () => ({ nbf: nowSeconds() + 7 })],
    ['J-04: issued in 7 s', () => ({ iat: nowSeconds() + 7 })],
    ['J-04: without iat', () => ({ iat: undefined })],
    ['J-03: of another issuer', () => ({ iss: 'https://other.test' })],
    ['J-03: of an issuer whose name begins as ours', () => ({ iss: `${idp.issuer}.evil.test` })],
    ['J-03: without an issuer', () => ({ iss: undefined })],
    ['J-07: pending', () => ({ sts: 'pending' })],
    ['J-07: without sub', () => ({ sub: undefined })],
    ['J-07: with a number as sub', () => ({ sub: 7 })],
    ['J-07: without sid', () => ({ sid: undefined })],
    ['J-07: with an empty sid', () => ({ sid: '' })],
    ['J-07: with a list as sid', () => ({ sid: ['a'] })],
  ];
  test.each(claims)('%s', async (_name, changed) => {
    expect(await verify(await token({ claims: changed() }))).toBeNull();
  });

  test.each(['', 'x', 'a.b.c', '....', 'eyJhbGciOiJSUzI1NiJ9..', '\u0000'])(
    'J-08: garbage %j',
    async (garbage) => {
      expect(await verify(garbage)).toBeNull();
    },
  );

  test('J-01: a forged signature, and a changed payload', async () => {
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

  test.each(['none', 'None', 'nOnE'])('J-02: the algorithm %s', async (alg) => {
    const [, payload] = (await token()).split('.');
    expect(await verify(`${base64url({ alg, typ: 'JWT' })}.${payload}.`)).toBeNull();
  });

  test('J-01: HS256 with the public key as its secret', async () => {
    const [header = '', payload = ''] = (await token()).split('.');
    const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString()) as { kid: string };
    const set = (await (await fetch(idp.jwksUrl)).json()) as { keys: JWK[] };
    const published = set.keys.find((key) => key.kid === kid)!;
    const pem = await exportSPKI((await importJWK(published, 'RS256')) as webcrypto.CryptoKey);
    for (const secret of [pem, JSON.stringify(published)]) {
      const signed = `${base64url({ alg: 'HS256', kid, typ: 'JWT' })}.${payload}`;
      const signature = createHmac('sha256', secret).update(signed).digest('base64url');
      expect(await verify(`${signed}.${signature}`)).toBeNull();
    }
  });

  test('J-01: a key that the token brings, or an address to fetch one from', async () => {
    const [header = ''] = (await token()).split('.');
    const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString()) as { kid: string };
    const pair = await generateKeyPair('RS256', { extractable: true });
    const jwk = await exportJWK(pair.publicKey);
    const elsewhere = 'https://evil.test/keys.json';
    for (const extra of [
      { kid, jwk },
      { jwk },
      { kid, jku: elsewhere },
      { kid, x5u: elsewhere },
      { kid: '' },
    ]) {
      const signed = await new SignJWT({ sub: 'user_1', sid: 'sess_1' })
        .setProtectedHeader({ alg: 'RS256', ...extra })
        .setIssuer(idp.issuer)
        .setIssuedAt()
        .setExpirationTime('1m')
        .sign(pair.privateKey);
      expect(await verify(signed)).toBeNull();
    }
  });

  test.each(['at+jwt', 'dpop+jwt', 'JWS'])('the type %s, even with a good key', async (typ) => {
    const [header = '', payload = ''] = (await token()).split('.');
    const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString()) as { kid: string };
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
    const { privateKey, publicKey } = await generateKeyPair('RS256');
    const strict = verifierWith({ keys: async () => publicKey });
    const signed = (type: string) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid, typ: type }).sign(privateKey);
    expect(await strict(await signed('JWT'))).not.toBeNull();
    expect(await strict(await signed(typ))).toBeNull();
  });

  test.each(['RS384', 'RS512', 'PS256'])('J-01: %s, though its key is good', async (alg) => {
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

test('J-03: with authorized parties named, only their tokens are good', async () => {
  const strict = verifierWith({ authorizedParties: ['https://app.test'] });
  expect(await strict(await token({ claims: { azp: 'https://app.test' } }))).not.toBeNull();
  expect(await strict(await token({ claims: { azp: 'https://evil.test' } }))).toBeNull();
  expect(await strict(await token())).toBeNull();
  expect(await verify(await token({ claims: { azp: 'https://evil.test' } }))).not.toBeNull();
});
