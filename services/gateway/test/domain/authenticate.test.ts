import type { UserIdentity } from '@botyard/contracts/identity';
import type { SignIdentity } from '@botyard/shared/auth/identity';
import { expect, test } from 'vitest';
import { type AuthenticatorOptions, createAuthenticator } from '../../src/domain/authenticate.ts';

const identity: UserIdentity = { kind: 'user', idpUserId: 'user_1', sessionId: 'sess_1', isOperator: false };

/** An authenticator with a clock to turn and counters of the work done. */
function prepare(options: Partial<AuthenticatorOptions> & { lifetimeMs?: number } = {}) {
  const clock = { now: 1_000_000 };
  const work = { verified: 0, signed: 0 };
  const sign: SignIdentity = async (who, audience) => `${JSON.stringify(who)}|${audience}|${++work.signed}`;
  const expiresAtMs = clock.now + (options.lifetimeMs ?? 60_000);
  const authenticator = createAuthenticator({
    sign,
    now: () => clock.now,
    localRequestFault: null,
    verifySession: async (token) => {
      work.verified += 1;
      return token === 'good' && clock.now < expiresAtMs ? { identity, grant: 'all', expiresAtMs } : null;
    },
    ...options,
  });
  return { authenticator, clock, work };
}

test('J-08: a token is verified once in 30 s, and its identity signed once for each audience', async () => {
  const { authenticator, clock, work } = prepare();
  for (let i = 0; i < 5; i += 1) {
    const principal = await authenticator.withToken('Bearer good');
    await Promise.all([
      principal?.signedFor('keys'),
      principal?.signedFor('keys'),
      principal?.signedFor('usage'),
    ]);
  }
  expect(work).toEqual({ verified: 1, signed: 2 });
  clock.now += 29_999;
  await authenticator.withToken('Bearer good');
  expect(work.verified).toBe(1);
  clock.now += 1;
  await authenticator.withToken('Bearer good');
  expect(work.verified).toBe(2);
});

test('J-08: a cached session ends with the token', async () => {
  const { authenticator, clock } = prepare({ lifetimeMs: 4000 });
  clock.now += 3999;
  expect(await authenticator.withToken('Bearer good')).not.toBeNull();
  clock.now += 1;
  expect(await authenticator.withToken('Bearer good')).toBeNull();
});

test('J-08: a refused token is not remembered', async () => {
  const { authenticator, work } = prepare();
  expect(await authenticator.withToken('Bearer bad')).toBeNull();
  expect(await authenticator.withToken('Bearer bad')).toBeNull();
  expect(work.verified).toBe(2);
});

test.each(['', 'good', 'Basic good', 'Bearer', 'Bearer ', 'Bearer  ', 'BearerX good', 'good Bearer'])(
  'J-08: the header %j gives no principal',
  async (header) => {
    expect(await prepare().authenticator.withToken(header)).toBeNull();
  },
);

test('the scheme is written in any case', async () => {
  expect(await prepare().authenticator.withToken('bearer good')).not.toBeNull();
});

test('anonymous is signed once in 30 s for each audience', async () => {
  const { authenticator, clock, work } = prepare();
  for (let i = 0; i < 3; i += 1) await authenticator.anonymous().signedFor('webhooks');
  expect(work.signed).toBe(1);
  clock.now += 30_000;
  expect(await authenticator.anonymous().signedFor('webhooks')).toContain('anonymous');
  expect(work.signed).toBe(2);
});

const request = { rawHeaders: ['Host', 'localhost'], httpVersion: '1.1', socket: { remoteAddress: '::1' } };

test('G-13: in development mode a request of this machine without the header is the synthetic admin', async () => {
  const { authenticator } = prepare({ localRequestFault: () => null });
  expect(authenticator.withoutToken(request)).toMatchObject({
    identity: { idpUserId: 'user_dev', isOperator: true },
  });
  expect((await authenticator.withToken('Bearer good'))?.identity).toEqual(identity);
  for (const header of ['', 'Bearer bad', 'Basic x'])
    expect(await authenticator.withToken(header)).toBeNull();
});

test('G-13: in development mode any other request without the header is refused with the reason', () => {
  const { authenticator } = prepare({ localRequestFault: () => 'it came from the moon' });
  const refusal = authenticator.withoutToken(request);
  expect(refusal).toMatchObject({ status: 401 });
  expect((refusal as Error).message).toContain('it came from the moon');
});

test('G-13: outside development mode a request without the header is anonymous', () => {
  const refusal = prepare().authenticator.withoutToken(request);
  expect(refusal).toMatchObject({ status: 401, message: 'authentication is required' });
});

test('G-13: without an identity provider no token is good', async () => {
  const { authenticator } = prepare({ verifySession: null });
  expect(await authenticator.withToken('Bearer good')).toBeNull();
});
