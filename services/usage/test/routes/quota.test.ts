import { quotaChanged } from '@botyard/contracts/events/usage';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  call,
  count,
  forgetUse,
  newTurn,
  openUsageServices,
  readUsage,
  type UsageServices,
  warnings,
} from '../usage-services.ts';

let services: UsageServices;
let now = new Date();

beforeAll(async () => {
  services = await openUsageServices({ clock: { now: () => now } });
});
beforeEach(async () => {
  now = new Date('2026-11-21T12:00:00.000Z');
  await forgetUse(services.harness);
});
afterAll(() => services?.harness.close());

const initialize = (limits: object, period?: string) =>
  call(services, services.acme, ['POST', '/quota/initialize'], { limits, ...(period ? { period } : {}) });
const reset = (body?: object) => call(services, services.acme, ['POST', '/quota/reset'], body);
const quota = () => call(services, services.acme, ['GET', '/quota']);
const check = async () => (await call(services, services.acme, ['GET', '/check'])).body;
const at = (moment: string, change: object = {}) =>
  newTurn(services.acme.tenantId, { completedAt: new Date(moment).toISOString(), ...change });

test('without a quota everything is allowed, and reading or resetting it is 404', async () => {
  expect(await check()).toEqual({ allowed: true, exceeded: [] });
  expect((await quota()).status).toBe(404);
  expect((await reset({})).status).toBe(404);
});

test('a quota is created once, and shows limits, use, the remainder and its calendar month', async () => {
  const made = await initialize({ messages: 10, outputTokens: 100 });
  expect(made.status).toBe(201);
  const expected = {
    limits: { messages: 10, outputTokens: 100 },
    period: 'month',
    periodStart: '2026-11-01T00:00:00.000Z',
    periodEnd: '2026-12-01T00:00:00.000Z',
    used: { messages: 0, costMicroUsd: null },
    reserved: { messages: 0, inputTokens: 0, outputTokens: 0, costMicroUsd: 0 },
    remaining: { messages: 10, outputTokens: 100 },
    exceeded: [],
    warnings: [],
    createdAt: now.toISOString(),
    resetAt: null,
  };
  expect(made.body).toMatchObject(expected);
  expect((await initialize({ messages: 99 })).status).toBe(409);
  expect((await quota()).body).toMatchObject(expected);
  await count(services, at('2026-11-21T11:00:00Z'), at('2026-11-21T11:00:01Z'));
  expect((await quota()).body).toMatchObject({
    used: { messages: 2, outputTokens: 40 },
    remaining: { messages: 8, outputTokens: 60 },
  });
});

test('eight simultaneous requests create one quota', async () => {
  const made = await Promise.all(Array.from({ length: 8 }, () => initialize({ messages: 1 })));
  expect(made.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 7 }, () => 409)]);
});

test.each([
  [{}, 'limits'],
  [{ limits: {} }, 'limits'],
  [{ limits: { mesages: 1 } }, 'limits.mesages'],
  [{ limits: { messages: -1 } }, 'limits.messages'],
  [{ limits: { messages: 1.5 } }, 'limits.messages'],
  [{ limits: { messages: 2 ** 53 } }, 'limits.messages'],
  [{ limits: { messages: '1' } }, 'limits.messages'],
  [{ limits: { messages: 1 }, period: 'year' }, 'period'],
])('%o is refused with the field that is at fault', async (body, path) => {
  const { status, body: answer } = await call(services, services.acme, ['POST', '/quota/initialize'], body);
  expect([status, answer.issues[0].path]).toEqual([400, path]);
  expect((await quota()).status).toBe(404);
});

test('earlier use in the calendar period counts, and use before it does not', async () => {
  await count(
    services,
    at('2026-11-01T00:00:00Z'),
    at('2026-10-31T23:59:59.999Z'),
    at('2026-11-20T10:00:00Z'),
  );
  expect((await initialize({ messages: 2 })).body).toMatchObject({
    used: { messages: 2 },
    exceeded: ['messages'],
  });
  expect(await check()).toEqual({ allowed: false, exceeded: ['messages'] });
});

test('every limit applies separately', async () => {
  await initialize({ messages: 100, inputTokens: 10, outputTokens: 21, costMicroUsd: 0 });
  await count(services, at('2026-11-21T11:00:00Z'));
  expect((await check()).exceeded).toEqual(['inputTokens', 'costMicroUsd']);
});

test.each([
  ['month', '2026-11-30T23:59:59.999Z', '2026-12-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
  ['day', '2026-11-21T23:59:59.999Z', '2026-11-22T00:00:00.000Z', '2026-11-23T00:00:00.000Z'],
  ['month', '2026-12-31T23:59:59.999Z', '2027-01-01T00:00:00.000Z', '2027-02-01T00:00:00.000Z'],
])('a new %s begins at midnight UTC, without anything having to run', async (period, last, first, end) => {
  now = new Date(last);
  await initialize({ messages: 1 }, period);
  await count(services, at(last));
  expect(await check()).toEqual({ allowed: false, exceeded: ['messages'] });
  now = new Date(first);
  expect(await check()).toEqual({ allowed: true, exceeded: [] });
  expect((await quota()).body).toMatchObject({
    periodStart: first,
    periodEnd: end,
    used: { messages: 0 },
    warnings: [],
  });
});

test('usage reported late belongs to the period in which it ended', async () => {
  now = new Date('2026-11-30T23:59:00Z');
  await initialize({ messages: 5 });
  now = new Date('2026-12-01T00:01:00Z');
  await count(services, at('2026-11-30T23:59:59.999Z'), at('2026-12-01T00:00:00Z'));
  expect((await quota()).body.used.messages).toBe(1);
  now = new Date('2026-11-30T23:59:59Z');
  expect((await quota()).body.used.messages).toBe(1);
});

test('a reset restarts the count from that moment; logs and series keep earlier usage', async () => {
  await initialize({ messages: 2 });
  await count(services, at('2026-11-21T10:00:00Z'), at('2026-11-21T11:59:59.999Z'));
  const { status, body } = await reset();
  expect([status, body.resetAt, body.periodStart]).toEqual([200, now.toISOString(), now.toISOString()]);
  expect(body).toMatchObject({
    used: { messages: 0 },
    remaining: { messages: 2 },
    exceeded: [],
    warnings: [],
  });
  await count(services, at('2026-11-21T11:59:59.998Z'), at('2026-11-21T12:00:00Z'));
  expect((await quota()).body.used.messages).toBe(1);
  expect(await readUsage(services.usage, services.acme)).toMatchObject({
    periodStart: now.toISOString(),
    counters: { messages: 1 },
  });
  const whole = await call(services, services.acme, ['GET', '?from=2026-11-01&groupBy=day']);
  expect(whole.body.counters.messages).toBe(4);
  expect((await call(services, services.acme, ['GET', '/logs'])).body).toHaveLength(4);
  now = new Date('2026-12-01T00:00:00Z');
  expect((await quota()).body).toMatchObject({
    periodStart: '2026-12-01T00:00:00.000Z',
    used: { messages: 0 },
  });
});

test('a reset replaces all limits and the period when it is given others', async () => {
  await initialize({ messages: 2, inputTokens: 5 });
  const { body } = await reset({ limits: { outputTokens: 7 }, period: 'day' });
  expect(body).toMatchObject({
    limits: { outputTokens: 7 },
    period: 'day',
    periodEnd: '2026-11-22T00:00:00.000Z',
  });
  expect(body.limits).toEqual({ outputTokens: 7 });
  expect((await reset({ limits: {} })).status).toBe(400);
  expect((await reset({})).body.limits).toEqual({ outputTokens: 7 });
});

test('80 and 100 percent are announced once for each limit and period, and again after a reset', async () => {
  await initialize({ messages: 5, outputTokens: 60 });
  const turns = Array.from({ length: 8 }, (_, second) => at(`2026-11-21T11:00:0${second}Z`));
  for (const turn of turns) await count(services, turn);
  await count(services, ...turns);
  const sentWarnings = (await warnings(services)).map(({ limit, level, used, most }) => [
    limit,
    level,
    used,
    most,
  ]);
  expect(sentWarnings).toEqual([
    ['outputTokens', 80, 60, 60],
    ['outputTokens', 100, 60, 60],
    ['messages', 80, 4, 5],
    ['messages', 100, 5, 5],
  ]);
  expect((await quota()).body.warnings).toHaveLength(4);
  await reset();
  await count(services, ...Array.from({ length: 5 }, (_, second) => at(`2026-11-21T12:00:0${second}Z`)));
  const again = (await warnings(services)).slice(4);
  expect(again.map(({ limit, level }) => `${limit} ${level}`).sort()).toEqual(
    sentWarnings.map(([limit, level]) => `${limit} ${level}`).sort(),
  );
  expect(new Set(again.map(({ periodStart }) => periodStart))).toEqual(new Set([now.toISOString()]));
});

test('a quota that is used up when it is created warns immediately', async () => {
  await initialize({ messages: 0 });
  expect(await warnings(services)).toMatchObject([
    { level: 80, used: 0, most: 0 },
    { level: 100, used: 0, most: 0 },
  ]);
});

test('a removed quota limits nothing, is announced once, and does not change use, series and logs', async () => {
  const remove = () => call(services, services.acme, ['DELETE', '/quota']);
  const changes = () =>
    services.harness.asOwner('select id from usage.outbox where subject like $1', [
      `%.event.${quotaChanged.name}.%`,
    ]);
  await initialize({ messages: 1 });
  await count(services, at('2026-11-21T10:00:00Z'));
  expect(await check()).toEqual({ allowed: false, exceeded: ['messages'] });
  const before = (await changes()).length;
  expect((await remove()).status).toBe(204);
  expect(await changes()).toHaveLength(before + 1);
  expect(await check()).toEqual({ allowed: true, exceeded: [] });
  expect((await quota()).status).toBe(404);
  expect(await readUsage(services.usage, services.acme)).toMatchObject({ counters: { messages: 1 } });
  expect((await call(services, services.acme, ['GET', '/logs'])).body).toHaveLength(1);
  expect((await remove()).status).toBe(204);
  expect(await changes()).toHaveLength(before + 1);
});

test('a quota after a removed one counts the use between them, and warns again', async () => {
  await initialize({ messages: 2 });
  await count(services, at('2026-11-21T10:00:00Z'), at('2026-11-21T10:00:01Z'));
  await call(services, services.acme, ['DELETE', '/quota']);
  await count(services, at('2026-11-21T11:00:00Z'));
  const warningsBefore = (await warnings(services)).length;
  expect((await initialize({ messages: 3 })).body).toMatchObject({
    used: { messages: 3 },
    exceeded: ['messages'],
    resetAt: null,
  });
  expect(await warnings(services)).toHaveLength(warningsBefore + 2);
});

test("another tenant's quota is its own", async () => {
  await initialize({ messages: 0 });
  expect((await call(services, services.other, ['GET', '/quota'])).status).toBe(404);
  expect((await call(services, services.other, ['GET', '/check'])).body.allowed).toBe(true);
  expect(
    (await call(services, services.other, ['POST', '/quota/initialize'], { limits: { messages: 3 } })).status,
  ).toBe(201);
});
