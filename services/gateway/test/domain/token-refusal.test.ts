import { partyOf } from '@botyard/shared/config/authorized-parties';
import { createLog } from '@botyard/shared/log/log';
import { type FakeIdp, type SessionTokenOptions, startFakeIdp } from '@botyard/testing/fake-idp';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clockProblem } from '../../src/clients/provider-clock.ts';
import { SessionKeys } from '../../src/clients/session-keys.ts';
import { identityProblems } from '../../src/domain/identity-settings.ts';
import { createSessionVerifier, type SessionRules } from '../../src/domain/session-token.ts';
import type { TokenRefusal } from '../../src/domain/token-refusal.ts';

let idp: FakeIdp;
let keys: SessionKeys;
beforeAll(async () => {
  idp = await startFakeIdp();
  keys = new SessionKeys({ url: idp.jwksUrl, log: createLog('test', 'silent'), now: Date.now });
});
afterAll(async () => {
  keys.stop();
  await idp.close();
});

async function verify(options: Partial<SessionTokenOptions> | string, rules: Partial<SessionRules> = {}) {
  const refusals: TokenRefusal[] = [];
  const verifySession = createSessionVerifier({
    issuer: idp.issuer,
    authorizedParties: [],
    platformOrgId: undefined,
    keys: keys.get,
    now: Date.now,
    onRefused: (refusal) => refusals.push(refusal),
    ...rules,
  });
  const token =
    typeof options === 'string' ? options : await idp.sessionToken({ userId: 'user_1', ...options });
  const session = await verifySession(token);
  return { isAccepted: session !== null, refusals };
}

const now = () => Math.floor(Date.now() / 1000);
/** Signed with the provider's key, whatever it says. */
const claiming = (claims: Record<string, unknown>): Partial<SessionTokenOptions> => ({ claims });

test.each([
  [
    'is valid only in 30 s',
    () => ({ iat: now() + 30, nbf: now() + 30, exp: now() + 90 }),
    'clock',
    /nbf.*behind/,
  ],
  [
    'was issued in the future',
    () => ({ iat: now() + 30, exp: now() + 90 }),
    'clock',
    /iat is \d+ s in the future.*behind/,
  ],
  ['expired 40 s ago', () => ({ iat: now() - 100, exp: now() - 40 }), 'clock', /expired \d+ s ago.*ahead/],
  [
    'names another issuer',
    () => ({ iss: 'https://other.example' }),
    'IDP_ISSUER',
    /"https:\/\/other.example"/,
  ],
  ['has no session', () => ({ sid: undefined }), 'session token', /lacks sid/],
  ['is of a pending session', () => ({ sts: 'pending' }), 'session token', /pending/],
])(
  'a token of the provider that %s is refused, and the reason is named',
  async (_name, claims, setting, text) => {
    const { isAccepted, refusals } = await verify(claiming(claims()));
    expect(isAccepted).toBe(false);
    expect(refusals).toEqual([expect.objectContaining({ setting, problem: expect.stringMatching(text) })]);
  },
);

test.each([
  ['http instead of https', (issuer: string) => issuer.replace('http:', 'https:')],
  ['another port', (issuer: string) => issuer.replace(/:\d+$/, ':1')],
])('an issuer with %s is not the same, and both addresses are named', async (_name, changed) => {
  const issuer = changed(idp.issuer);
  const { isAccepted, refusals } = await verify({}, { issuer });
  expect(isAccepted).toBe(false);
  expect(refusals[0]?.problem).toContain(JSON.stringify(issuer));
  expect(refusals[0]?.problem).toContain(JSON.stringify(idp.issuer));
});

test.each([
  ['a trailing slash', (issuer: string) => `${issuer}/`],
  ['its host in upper case', (issuer: string) => issuer.replace('127.0.0.1', 'LOCALHOST')],
])('a token whose issuer has %s is accepted', async (_name, changed) => {
  const issuer = idp.issuer.replace('127.0.0.1', 'localhost');
  const { isAccepted } = await verify(claiming({ iss: changed(idp.issuer) }), {
    issuer: changed(idp.issuer).startsWith('http://L') ? issuer : idp.issuer,
  });
  expect(isAccepted).toBe(true);
});

test('an authorized party is an origin, with or without a trailing slash, in any case and with its default port', async () => {
  for (const written of ['https://app.example/', 'HTTPS://App.Example', 'https://app.example:443'])
    expect(
      await verify(claiming({ azp: 'https://app.example' }), { authorizedParties: [partyOf(written)] }),
    ).toMatchObject({ isAccepted: true, refusals: [] });
  for (const other of [
    'http://app.example',
    'https://app.example:8443',
    'https://app.example.evil.example',
    'app.example',
  ])
    expect(
      (await verify(claiming({ azp: 'https://app.example' }), { authorizedParties: [partyOf(other)] }))
        .isAccepted,
    ).toBe(false);
});

test('a party that the setting lacks is named, without anything that a terminal obeys', async () => {
  const azp = 'https://staging.example\u001b]0;x\u0007';
  const { refusals } = await verify(claiming({ azp }), { authorizedParties: ['https://app.example'] });
  expect(refusals[0]).toMatchObject({ setting: 'IDP_AUTHORIZED_PARTIES' });
  expect(refusals[0]?.problem).toContain('https://staging.example');
  expect(refusals[0]?.problem).toContain('https://app.example');
  expect(refusals[0]?.problem).not.toContain('\u001b');
  const without = await verify(claiming({ azp: undefined }), { authorizedParties: ['https://app.example'] });
  expect(without.refusals[0]?.problem).toMatch(/no authorized party/);
});

test('a token that another instance signed is named by its key alone: nothing unverified is repeated', async () => {
  const { privateKey } = await generateKeyPair('RS256');
  const foreign = await new SignJWT({ sub: 'user_x', sid: 'sess_x', azp: 'https://evil.example' })
    .setProtectedHeader({ alg: 'RS256', kid: 'ins_other' })
    .setIssuer('https://evil.example')
    .setIssuedAt()
    .setExpirationTime('1m')
    .sign(privateKey);
  const { isAccepted, refusals } = await verify(foreign);
  expect(isAccepted).toBe(false);
  expect(refusals).toEqual([expect.objectContaining({ setting: 'IDP_JWKS_URL', cause: 'key' })]);
  expect(JSON.stringify(refusals)).not.toMatch(/evil|user_x|ins_other/);
});

test('a token with a shared secret of a template is named by its algorithm', async () => {
  const signed = await new SignJWT({ sub: 'user_1', sid: 'sess_1' })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer(idp.issuer)
    .setIssuedAt()
    .setExpirationTime('1m')
    .sign(new TextEncoder().encode('a-shared-secret-of-a-template-0123456789'));
  expect((await verify(signed)).refusals).toEqual([expect.objectContaining({ cause: 'algorithm' })]);
});

test('a text that is no token says nothing about the settings', async () => {
  for (const text of ['x', 'a.b.c', 'ak_0123456789', await exportJWK(new Uint8Array(32)).then(String)])
    expect(await verify(text)).toEqual({ isAccepted: false, refusals: [] });
});

test('the slug of an organization as IDP_PLATFORM_ORG_ID is named, and makes nobody an operator', async () => {
  const { isAccepted, refusals } = await verify(claiming({ o: { id: 'org_1', slg: 'acme', rol: 'admin' } }), {
    platformOrgId: 'acme',
  });
  expect(isAccepted).toBe(true);
  expect(refusals).toEqual([expect.objectContaining({ setting: 'IDP_PLATFORM_ORG_ID' })]);
});

test('a clock that differs from the date of the key set is named with its distance and side', () => {
  const at = Date.parse('2026-03-01T12:00:00Z');
  const between = (date: string, age?: string) =>
    clockProblem(new Headers({ date, ...(age ? { age } : {}) }), { askedAt: at, answeredAt: at + 200 });
  expect(between('Sun, 01 Mar 2026 12:00:30 GMT')?.problem).toMatch(/30 s behind/);
  expect(between('Sun, 01 Mar 2026 11:59:00 GMT')?.problem).toMatch(/60 s ahead/);
  expect(between('Sun, 01 Mar 2026 12:00:04 GMT')).toBeUndefined();
  // A cache kept the answer for an hour.
  expect(between('Sun, 01 Mar 2026 11:00:00 GMT', '3600')).toBeUndefined();
  expect(between('not a date')).toBeUndefined();
});

test('parties that can be no origin, and a publishable key of another instance, are named at the start', () => {
  const key = (host: string) => `pk_test_${Buffer.from(`${host}$`).toString('base64')}`;
  const settings = {
    IDP_ISSUER: 'https://clerk.acme.example',
    IDP_PUBLISHABLE_KEY: key('clerk.acme.example'),
    IDP_PLATFORM_ORG_ID: undefined,
    IDP_AUTHORIZED_PARTIES: [
      'https://app.acme.example',
      'com.acme',
      'app.acme.example',
      'https://a.example/login',
    ],
  };
  expect(identityProblems(settings).map(({ cause }) => cause)).toEqual([
    'com.acme',
    'app.acme.example',
    'https://a.example/login',
  ]);
  const foreign = {
    ...settings,
    IDP_AUTHORIZED_PARTIES: [],
    IDP_PUBLISHABLE_KEY: key('other.clerk.example'),
  };
  expect(identityProblems(foreign)).toEqual([expect.objectContaining({ setting: 'IDP_PUBLISHABLE_KEY' })]);
});
