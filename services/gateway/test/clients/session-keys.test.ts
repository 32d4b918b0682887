import { createLog } from '@botyard/shared/log/log';
import { type FakeIdp, startFakeIdp } from '@botyard/shared/testing/fake-idp';
import { jwtVerify } from 'jose';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SessionKeys, type SessionKeysOptions } from '../../src/clients/session-keys.ts';

let idp: FakeIdp;
let clock: number;
const started: SessionKeys[] = [];

function keysOf(options: Partial<SessionKeysOptions> = {}): SessionKeys {
  const log = createLog('test', 'silent');
  const keys = new SessionKeys({ url: idp.jwksUrl, log, now: () => clock, timeoutMs: 500, ...options });
  started.push(keys);
  return keys;
}

const isGood = (keys: SessionKeys, token: string) =>
  jwtVerify(token, keys.get).then(
    () => true,
    () => false,
  );
const newToken = () => idp.sessionToken({ userId: 'user_1', expiresInSeconds: 600 });
const fetches = () => idp.calls.count;
const minutes = (count: number) => count * 60_000;

beforeEach(async () => {
  idp = await startFakeIdp();
  clock = 1_000_000;
});
afterEach(async () => {
  for (const keys of started.splice(0)) keys.stop();
  await idp.close();
});

test('one fetch serves many tokens, also when they come at once', async () => {
  const keys = keysOf();
  const token = await newToken();
  const all = await Promise.all(Array.from({ length: 20 }, () => isGood(keys, token)));
  expect(all.every(Boolean)).toBe(true);
  expect(fetches()).toBe(1);
});

test('J-05: a rotated key is accepted at once', async () => {
  const keys = keysOf();
  await isGood(keys, await newToken());
  idp.rotateKey();
  expect(await isGood(keys, await newToken())).toBe(true);
});

test('J-05: an unknown kid makes one fetch in 30 s at most, whether it succeeds or fails', async () => {
  const keys = keysOf();
  const old = await newToken();
  await isGood(keys, old);
  const other = await startFakeIdp();
  const foreign = await other.sessionToken({ userId: 'user_1' });
  for (let i = 0; i < 5; i += 1) expect(await isGood(keys, foreign)).toBe(false);
  expect(fetches()).toBe(2);
  clock += 30_000;
  idp.fail('jwks', { status: 500, times: 100 });
  for (let i = 0; i < 5; i += 1) expect(await isGood(keys, foreign)).toBe(false);
  expect(fetches()).toBe(3);
  expect(await isGood(keys, old)).toBe(true);
  await other.close();
});

test('J-05: a key that comes during the cooldown is accepted when 30 s are over', async () => {
  const keys = keysOf();
  await isGood(keys, await newToken());
  idp.rotateKey();
  expect(await isGood(keys, await newToken())).toBe(true);
  idp.rotateKey();
  const newest = await newToken();
  expect(await isGood(keys, newest)).toBe(false);
  let waitedMs = 0;
  for (; !(await isGood(keys, newest)); clock += 500) waitedMs += 500;
  process.stdout.write(
    `P20: a new key is accepted after ${waitedMs / 1000} s at most, by a clock that is set\n`,
  );
  expect(waitedMs).toBeLessThanOrEqual(35_000);
});

test.each([
  ['refuses', () => idp.close()],
  ['answers 503', async () => idp.fail('jwks', { status: 503, times: 1000 })],
  ['answers nonsense', async () => idp.fail('jwks', { status: 200, body: 'not keys', times: 1000 })],
  ['hangs', async () => idp.fail('jwks', { hang: true, times: 1000 })],
])(
  'J-06: an identity provider that %s: known keys work for 60 minutes, unknown ones do not',
  async (name, breakIdp) => {
    const keys = keysOf();
    const token = await newToken();
    await isGood(keys, token);
    idp.rotateKey();
    const newer = await newToken();
    await breakIdp();
    expect(await isGood(keys, newer)).toBe(false);
    clock += minutes(60);
    expect(await isGood(keys, token)).toBe(true);
    process.stdout.write(
      `P20: an identity provider that ${name}: a known key works for 60 minutes, by a clock that is set\n`,
    );
    clock += minutes(5);
    expect(await isGood(keys, token)).toBe(false);
  },
);

test('J-06: after an outage from the start the keys are found within a second of it', async () => {
  idp.fail('jwks', { status: 503 });
  const keys = keysOf();
  const token = await newToken();
  expect(await isGood(keys, token)).toBe(false);
  expect(await isGood(keys, token)).toBe(false);
  expect(fetches()).toBe(1);
  clock += 1000;
  expect(await isGood(keys, token)).toBe(true);
});

test('J-06: keys are refreshed in the background, and again after a failure', async () => {
  idp.fail('jwks', { status: 503 });
  const keys = keysOf({ refreshAfterMs: 5, retryAfterMs: 5 });
  keys.start();
  await vi.waitFor(() => expect(fetches()).toBeGreaterThanOrEqual(4), { timeout: 5000, interval: 5 });
});

test('J-06: a key that was withdrawn is refused after the refresh', async () => {
  const keys = keysOf({ refreshAfterMs: 5 });
  const token = await newToken();
  expect(await isGood(keys, token)).toBe(true);
  idp.rotateKey({ keepsOld: false });
  keys.start();
  await vi.waitFor(async () => expect(await isGood(keys, token)).toBe(false), { timeout: 5000, interval: 5 });
});
