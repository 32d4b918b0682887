import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { createLog } from '@botyard/shared/log/log';
import { eventually } from '@botyard/testing/eventually';
import { type FakeIdp, startFakeIdp } from '@botyard/testing/fake-idp';
import { jwtVerify } from 'jose';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SessionKeys, type SessionKeysOptions } from '../../src/clients/session-keys.ts';

const rsaPublicKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' });
let idp: FakeIdp;
let clock: number;
const started: SessionKeys[] = [];

function keysOf(options: Partial<SessionKeysOptions> = {}): SessionKeys {
  const log = createLog('test', 'silent');
  const keys = new SessionKeys({ url: idp.jwksUrl, log, now: () => clock, timeoutMs: 60_000, ...options });
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

test('one fetch serves many tokens, also when they arrive simultaneously', async () => {
  const keys = keysOf();
  const token = await newToken();
  const all = await Promise.all(Array.from({ length: 20 }, () => isGood(keys, token)));
  expect(all.every(Boolean)).toBe(true);
  expect(fetches()).toBe(1);
});

test('J-05: a rotated key is accepted immediately', async () => {
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

test('J-05: a key that appears during the cooldown is accepted when 30 s are over', async () => {
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
    const keys = keysOf({ timeoutMs: 500 });
    const token = await newToken();
    await eventually('the keys are known', () => isGood(keys, token));
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
  await eventually('the keys are fetched again', () => fetches() >= 4);
});

const noSets: Record<string, unknown> = {
  'an empty set': { keys: [] },
  'no set': {},
  'a list': [],
  'a page': '<!doctype html><title>Sign in</title>',
  'keys for encryption only': { keys: [{ ...rsaKey('enc'), use: 'enc' }] },
  'a symmetric key': { keys: [{ kty: 'oct', kid: 'k', k: 'c2VjcmV0' }] },
  'a key that is too short': { keys: [{ ...rsaKey('short'), n: 'AQAB' }] },
  'a key of an algorithm that no token may have': { keys: [{ ...rsaKey('hs'), alg: 'RS1' }] },
  'a broken key': { keys: [{ kty: 'EC', crv: 'P-256', kid: 'ec', x: 'AA', y: 'AA' }] },
  'things that are no keys': { keys: [null, 1, 'key', []] },
  'more keys than anybody has': { keys: Array.from({ length: 101 }, (_, index) => rsaKey(`k${index}`)) },
  'a set that is too long': { keys: [rsaKey('k')], padding: 'x'.repeat(300_000) },
};

test.each(Object.entries(noSets))(
  'J-09: %s with 200 is not a key set: known keys stay valid, and the next fetch is soon',
  async (_, body) => {
    const keys = keysOf();
    const token = await newToken();
    await isGood(keys, token);
    idp.fail('jwks', { status: 200, body, times: 1 });
    const unknown = await startFakeIdp();
    expect(await isGood(keys, await unknown.sessionToken({ userId: 'user_1' }))).toBe(false);
    await unknown.close();
    expect(fetches()).toBe(2);
    expect(await isGood(keys, token)).toBe(true);
    idp.rotateKey();
    clock += 30_000;
    expect(await isGood(keys, await newToken())).toBe(true);
    expect(await isGood(keys, token)).toBe(true);
  },
);

test('J-09: an invalid key set is fetched again after 5 s, also when it is the first', async () => {
  idp.fail('jwks', { status: 200, body: { keys: [] }, times: 3 });
  const keys = keysOf({ refreshAfterMs: 3_600_000, retryAfterMs: 5 });
  keys.start();
  const token = await newToken();
  await eventually('the token is good', () => isGood(keys, token));
});

test('J-09: keys that lie elsewhere are not followed there', async () => {
  const elsewhere = createServer((_req, res) => res.writeHead(302, { location: idp.jwksUrl }).end());
  await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
  const { port } = elsewhere.address() as AddressInfo;
  const keys = keysOf({ url: `http://127.0.0.1:${port}/` });
  expect(await isGood(keys, await newToken())).toBe(false);
  expect(idp.calls.all.filter(({ operation }) => operation === 'jwks')).toEqual([]);
  elsewhere.close();
});

test('J-09: an endless answer is cut off at the bound', async () => {
  const endless = createServer((_req, res) => {
    res.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
    const gzip = createGzip();
    gzip.pipe(res);
    Readable.from(endlessly('{"keys":[')).pipe(gzip);
    res.once('close', () => gzip.destroy());
  });
  await new Promise<void>((resolve) => endless.listen(0, '127.0.0.1', resolve));
  const { port } = endless.address() as AddressInfo;
  const lines: string[] = [];
  const log = createLog('test', 'warn', { write: (line: string) => void lines.push(line) });
  const keys = keysOf({ url: `http://127.0.0.1:${port}/`, timeoutMs: 20_000, log });
  expect(await isGood(keys, await newToken())).toBe(false);
  expect(lines.join('')).toContain('more than 262144 bytes');
  endless.closeAllConnections();
  await new Promise((resolve) => endless.close(resolve));
});

test('J-09: the usable keys of a set are accepted', async () => {
  const own = await publishedKeys();
  idp.fail('jwks', { status: 200, body: { keys: [null, { kty: 'oct', k: 'AA' }, ...own] }, times: 1 });
  expect(await isGood(keysOf(), await newToken())).toBe(true);
});

test('J-09: one line reports that the keys can’t be fetched, and one that they can again', async () => {
  const lines: string[] = [];
  const log = createLog('test', 'info', { write: (line: string) => void lines.push(line) });
  idp.fail('jwks', { status: 503, times: 4 });
  const keys = keysOf({ retryAfterMs: 5, log });
  keys.start();
  const token = await newToken();
  await eventually('the token is good', () => isGood(keys, token));
  expect(lines.map((line) => JSON.parse(line)).map(({ level, failures }) => ({ level, failures }))).toEqual([
    { level: 'warn', failures: 1 },
    { level: 'info', failures: 4 },
  ]);
});

describe('J-10: a key that is missing in a new set', () => {
  /** Fetches again, like the background refresh: an unknown `kid` causes a fetch. */
  const refetch = async (keys: SessionKeys) => {
    const before = fetches();
    clock += 30_000;
    const other = await startFakeIdp();
    await isGood(keys, await other.sessionToken({ userId: 'user_1' }));
    await other.close();
    expect(fetches()).toBe(before + 1);
  };

  test('is valid for 5 more minutes, and no longer, even if the provider fails', async () => {
    const keys = keysOf();
    const token = await newToken();
    expect(await isGood(keys, token)).toBe(true);
    idp.rotateKey({ keepsOld: false });
    await refetch(keys);
    expect(await isGood(keys, token)).toBe(true);
    expect(await isGood(keys, await newToken())).toBe(true);
    clock += minutes(2);
    expect(await isGood(keys, token)).toBe(true);
    idp.fail('jwks', { status: 503, times: 1000 });
    clock += minutes(3);
    expect(await isGood(keys, token)).toBe(false);
  });

  test('is valid as before if it reappears in that time', async () => {
    const keys = keysOf();
    const token = await newToken();
    await isGood(keys, token);
    const whole = await publishedKeys();
    idp.fail('jwks', { status: 200, body: { keys: [rsaKey('another')] }, times: 1 });
    await refetch(keys);
    expect(await isGood(keys, token)).toBe(true);
    idp.fail('jwks', { status: 200, body: { keys: whole }, times: 1 });
    await refetch(keys);
    clock += minutes(20);
    expect(await isGood(keys, token)).toBe(true);
  });

  test('is looked for more often than usually', async () => {
    const keys = keysOf({ refreshAfterMs: 3_600_000, recheckAfterMs: 5 });
    const token = await newToken();
    await isGood(keys, token);
    idp.rotateKey({ keepsOld: false });
    keys.start();
    await eventually('the keys are fetched again', () => fetches() >= 5);
  });

  test('under the name of a new one is dropped immediately', async () => {
    const keys = keysOf();
    const token = await newToken();
    await isGood(keys, token);
    const [{ kid }] = (await publishedKeys()) as [{ kid: string }];
    idp.fail('jwks', { status: 200, body: { keys: [rsaKey(kid)] }, times: 1 });
    await refetch(keys);
    expect(await isGood(keys, token)).toBe(false);
  });
});

const publishedKeys = async (): Promise<{ kid: string }[]> =>
  ((await (await fetch(idp.jwksUrl)).json()) as { keys: { kid: string }[] }).keys;

function rsaKey(kid: string): Record<string, unknown> {
  return { ...rsaPublicKey, use: 'sig', kid, alg: 'RS256' };
}

function* endlessly(start: string): Generator<string> {
  yield start;
  for (;;) yield '"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",';
}
