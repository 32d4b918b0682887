import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { unavailable } from '@botyard/shared/http/errors';
import { expect, test } from 'vitest';
import type { FindApiToken, FoundToken } from '../../src/clients/api-tokens.ts';
import { ApiTokens } from '../../src/domain/api-tokens.ts';

const address = '192.0.2.1';
const tokenOf = (number: number): string =>
  `byd_${Buffer.alloc(32, `token ${number}.`).toString('base64url')}`;
const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

/** A gate with a clock to turn, and a tenancy service that knows some tokens. */
function prepare(known: Readonly<Record<string, FoundToken>> = {}) {
  const clock = { now: 1_000_000 };
  const tokens = new Map(Object.entries(known).map(([token, found]) => [hashOf(token), found]));
  const asked: string[] = [];
  let find: FindApiToken = async (hash) => tokens.get(hash) ?? null;
  const gate = new ApiTokens({
    find: (hash) => {
      asked.push(hash);
      return find(hash);
    },
    sign: async (identity, audience) => `${JSON.stringify(identity)}|${audience}`,
    now: () => clock.now,
  });
  return {
    ...{ gate, clock, asked, tokens },
    verify: async (token: string, from = address) => await gate.verify(token, from),
    answerWith: (other: FindApiToken) => {
      find = other;
    },
  };
}

const good = tokenOf(1);
const found: FoundToken = { tokenId: 'k1', tenantId: 't1', expiresInMs: null };

test('K-01: a token is asked about once in 30 s, by its hash alone, and is a principal of its tenant', async () => {
  const { verify, clock, asked } = prepare({ [good]: found });
  for (let time = 0; time < 5; time += 1)
    expect((await verify(good))?.identity).toEqual({ kind: 'token', tokenId: 'k1', tenantId: 't1' });
  clock.now += 29_999;
  await verify(good);
  expect(asked).toEqual([hashOf(good)]);
  clock.now += 1;
  await verify(good);
  expect(asked).toHaveLength(2);
});

test('K-01: a cached answer ends with the token', async () => {
  const { verify, clock, tokens } = prepare({ [good]: { ...found, expiresInMs: 4000 } });
  await verify(good);
  tokens.clear();
  clock.now += 3999;
  expect(await verify(good)).not.toBeNull();
  clock.now += 1;
  expect(await verify(good)).toBeNull();
});

test('K-02: the announcement of a change in its tenant invalidates the cache, and of no other tenant', async () => {
  const { gate, verify, tokens, asked } = prepare({ [good]: found });
  await verify(good);
  tokens.clear();
  gate.onAuthorizationChanged({ tenantId: 't2' });
  expect(await verify(good)).not.toBeNull();
  gate.onAuthorizationChanged({ tenantId: 't1' });
  expect(await verify(good)).toBeNull();
  expect(asked).toHaveLength(2);
});

test('K-02: when announcements may have been missed, nothing is remembered', async () => {
  const several = Array.from({ length: 10 }, (_, number) => tokenOf(number));
  const { gate, verify, tokens } = prepare(Object.fromEntries(several.map((token) => [token, found])));
  for (const token of several) expect(await verify(token)).not.toBeNull();
  tokens.clear();
  gate.onGap();
  for (const token of several) expect(await verify(token)).toBeNull();
});

test('K-02: an answer from before the announcement is not cached, and serves no later request', async () => {
  const { gate, verify, answerWith, tokens, asked } = prepare({ [good]: found });
  const before = Promise.withResolvers<FoundToken | null>();
  answerWith(() => before.promise);
  const early = verify(good);
  await nextTurn();
  expect(asked).toHaveLength(1);
  gate.onAuthorizationChanged({ tenantId: 't1' });
  tokens.clear();
  answerWith(async (hash) => tokens.get(hash) ?? null);
  const late = verify(good);
  before.resolve(found);
  expect(await early).not.toBeNull();
  expect(await late).toBeNull();
  expect(await verify(good)).toBeNull();
});

test('K-02: an answer from before the announcement is not cached, even without later requests', async () => {
  const { gate, verify, answerWith, tokens } = prepare({ [good]: found });
  const before = Promise.withResolvers<FoundToken | null>();
  answerWith(() => before.promise);
  const early = verify(good);
  await nextTurn();
  gate.onAuthorizationChanged({ tenantId: 't1' });
  before.resolve(found);
  expect(await early).not.toBeNull();
  tokens.clear();
  answerWith(async (hash) => tokens.get(hash) ?? null);
  expect(await verify(good)).toBeNull();
});

test('simultaneous requests with one token share one question', async () => {
  const { verify, asked } = prepare({ [good]: found });
  expect(await Promise.all(Array.from({ length: 50 }, () => verify(good)))).not.toContain(null);
  expect(asked).toHaveLength(1);
});

test.each([
  'byd_',
  `byd_${'a'.repeat(42)}`,
  `byd_${'A'.repeat(44)}`,
  `byd_${'a'.repeat(43)}`,
  `byd_${'A'.repeat(42)}+`,
  `byd_${'A'.repeat(42)} `,
  `BYD_${'A'.repeat(43)}`,
  `byd_${'A'.repeat(43)}\n`,
])('K-03: %j is refused without a question', async (text) => {
  const { verify, asked } = prepare();
  expect(await verify(text)).toBeNull();
  expect(asked).toEqual([]);
});

test('K-03: a text of any length is refused without a question', async () => {
  const { verify, asked } = prepare();
  expect(await verify(`byd_${'A'.repeat(9000)}`)).toBeNull();
  expect(asked).toEqual([]);
});

test('K-03: a refused token is not asked about again for 10 s', async () => {
  const { verify, clock, asked } = prepare();
  for (let time = 0; time < 3; time += 1) expect(await verify(good)).toBeNull();
  expect(asked).toHaveLength(1);
  clock.now += 10_000;
  await verify(good);
  expect(asked).toHaveLength(2);
});

test('K-03: made-up tokens are asked about four at a time, and a known one does not wait for them', async () => {
  const { gate, verify, answerWith, asked } = prepare({ [good]: found });
  await verify(good);
  gate.onGap();
  const silence = Promise.withResolvers<null>();
  answerWith((hash) => (hash === hashOf(good) ? Promise.resolve(found) : silence.promise));
  const strangers = Array.from({ length: 40 }, (_, number) => verify(tokenOf(100 + number)));
  const refused = await Promise.allSettled(strangers.slice(16));
  expect(refused.every(({ status }) => status === 'rejected')).toBe(true);
  await expect(strangers[16]).rejects.toMatchObject({ status: 503 });
  expect(asked).toHaveLength(1 + 4);
  // Somebody at another address has a turn of their own.
  const other = verify(tokenOf(7), '192.0.2.2');
  expect(await verify(good)).not.toBeNull();
  silence.resolve(null);
  expect(await other).toBeNull();
  expect(await Promise.all(strangers.slice(0, 16))).toEqual(Array(16).fill(null));
});

test('while tenancy does not answer a token is neither accepted nor refused: 503, and nothing is cached', async () => {
  const { verify, answerWith, clock, tokens } = prepare({ [good]: found });
  await verify(good);
  answerWith(async () => {
    throw unavailable('the tenancy service does not answer');
  });
  expect(await verify(good)).not.toBeNull();
  clock.now += 30_000;
  await expect(verify(good)).rejects.toMatchObject({ status: 503 });
  answerWith(async (hash) => tokens.get(hash) ?? null);
  expect(await verify(good)).not.toBeNull();
});
