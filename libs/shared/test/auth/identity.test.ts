import { createHmac, randomUUID } from 'node:crypto';
import type { Identity } from '@botyard/contracts/identity';
import { importJWK, type JWK, SignJWT } from 'jose';
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  createIdentitySigner,
  createIdentityVerifier,
  generateIdentityKeys,
  type SignIdentity,
  type VerifyIdentity,
} from '../../src/auth/identity.ts';
import { createLog } from '../../src/log/log.ts';

const admin: Identity = { kind: 'user', idpUserId: 'user_1', sessionId: 'sess_1', isOperator: false };
const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const decoded = (part: string | undefined) => JSON.parse(Buffer.from(part ?? '', 'base64url').toString());

let keys: Awaited<ReturnType<typeof generateIdentityKeys>>;
let sign: SignIdentity;
let verify: VerifyIdentity;

beforeAll(async () => {
  keys = await generateIdentityKeys();
  sign = await createIdentitySigner(keys.signingKey);
});
beforeEach(async () => {
  vi.useRealTimers();
  verify = await createIdentityVerifier(keys.verifyKey, 'keys');
});

/** Signed with the gateway's own key, as nobody else can, and yet not as the gateway does it. */
async function signedOddly(claims: Record<string, unknown>): Promise<string> {
  const key = await importJWK(decoded(keys.signingKey) as JWK, 'EdDSA');
  const now = Math.floor(Date.now() / 1000);
  const usual = { id: admin, iss: 'botyard-gateway', aud: 'keys', iat: now, exp: now + 60 };
  return new SignJWT({ ...usual, ...claims }).setProtectedHeader({ alg: 'EdDSA' }).sign(key);
}

test('a service accepts an identity that the gateway signed for it', async () => {
  expect(await verify(await sign(admin, 'keys'))).toEqual(admin);
  expect(await verify(await signedOddly({}))).toEqual(admin);
});

describe('G-04: an identity is not believed', () => {
  test('signed for another service', async () => {
    expect(await verify(await sign(admin, 'tenancy'))).toBeNull();
    expect(await verify(await signedOddly({ aud: undefined }))).toBeNull();
  });

  test('signed with another key', async () => {
    const other = await createIdentitySigner((await generateIdentityKeys()).signingKey);
    expect(await verify(await other(admin, 'keys'))).toBeNull();
  });

  test.each(['none', 'None', 'HS256'])('with content that says %s', async (alg) => {
    const [, payload = ''] = (await sign(admin, 'keys')).split('.');
    const unsigned = `${base64url({ alg })}.${payload}`;
    const byThePublicKey = createHmac('sha256', keys.verifyKey).update(unsigned).digest('base64url');
    for (const signature of ['', byThePublicKey]) expect(await verify(`${unsigned}.${signature}`)).toBeNull();
  });

  test('whose claims were changed, in any way', async () => {
    const [header, payload, signature] = (await sign(admin, 'keys')).split('.');
    const operator = { ...decoded(payload), id: { ...admin, isOperator: true } };
    expect(await verify(`${header}.${base64url(operator)}.${signature}`)).toBeNull();
    const longer = { ...decoded(payload), exp: decoded(payload).exp + 3600 };
    expect(await verify(`${header}.${base64url(longer)}.${signature}`)).toBeNull();
  });

  test.each([
    ['of another issuer', { iss: 'botyard-keys' }],
    ['without an identity', { id: undefined }],
    ['of a kind that nobody knows', { id: { kind: 'service' } }],
    ['of a person without a name', { id: { ...admin, idpUserId: '' } }],
    ['whose authority is a text', { id: { ...admin, isOperator: 'true' } }],
  ])('%s, though its signature is good', async (_name, claims) => {
    expect(await verify(await signedOddly(claims))).toBeNull();
  });

  test.each([undefined, '', ' ', 'x', 'a.b.c', '{"kind":"anonymous"}', `${'a'.repeat(8193)}`])(
    'without a valid form: %j',
    async (token) => expect(await verify(token)).toBeNull(),
  );

  test('after its 60 s, with 30 more for clocks that differ, even if it was accepted before', async () => {
    const token = await sign(admin, 'keys');
    const begun = Date.now();
    vi.useFakeTimers({ toFake: ['Date', 'performance'], now: begun });
    expect(await verify(token)).toEqual(admin);
    vi.setSystemTime(begun + 88_000);
    expect(await verify(token)).toEqual(admin);
    vi.setSystemTime(begun + 92_000);
    const elsewhere = await createIdentityVerifier(keys.verifyKey, 'keys');
    expect(await elsewhere(token)).toBeNull();
  });

  test('from a clock that is ahead by more than these 30 s', async () => {
    const token = await sign(admin, 'keys');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 25_000 });
    expect(await verify(token)).toEqual(admin);
    const elsewhere = await createIdentityVerifier(keys.verifyKey, 'keys');
    vi.setSystemTime(Date.now() - 10_000);
    expect(await elsewhere(token)).toBeNull();
  });
});

test('an identity that is refused only for its time is logged once a minute, with the cause, the count and the remedy', async () => {
  const lines: Record<string, unknown>[] = [];
  const log = createLog('keys', 'info', { write: (line: string) => void lines.push(JSON.parse(line)) });
  const [late, early] = [await sign(admin, 'keys'), await signedOddly({ iat: Date.now() / 1000 + 600 })];
  vi.useFakeTimers({ now: Date.now() + 600_000 });
  const verify = await createIdentityVerifier(keys.verifyKey, 'keys', log);
  for (let count = 0; count < 5; count++) expect(await verify(late)).toBeNull();
  vi.setSystemTime(Date.now() - 600_000);
  expect(await verify(early)).toBeNull();
  expect(await verify(`${late}x`)).toBeNull();
  expect(lines).toMatchObject([
    { cause: 'expired, by the clock here', count: 1, remedy: expect.stringContaining('NTP') },
    { cause: 'signed in the future, by the clock here', count: 1 },
  ]);
  vi.advanceTimersByTime(60_000);
  expect(lines.slice(2)).toMatchObject([{ cause: 'expired, by the clock here', count: 4 }]);
  vi.advanceTimersByTime(180_000);
  expect(lines).toHaveLength(3);
});

test('a session that was never seen is as unknown as any', async () => {
  expect(await verify(randomUUID())).toBeNull();
});
