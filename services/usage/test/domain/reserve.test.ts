import { withTenant } from '@botyard/shared/db/database';
import { startAndMissLock } from '@botyard/testing/missed-lock';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Deps } from '../../src/deps.ts';
import { countTurns } from '../../src/domain/count-turns.ts';
import {
  call,
  count,
  forgetUse,
  newTurn,
  openUsageServices,
  reserve,
  startUsage,
  type UsageServices,
} from '../usage-services.ts';

let services: UsageServices;
let now = new Date();

beforeAll(async () => {
  const clock = { now: () => now };
  services = await openUsageServices({ clock });
  await startUsage(services.harness, { clock });
});
beforeEach(async () => {
  now = new Date();
  await forgetUse(services.harness);
});
afterAll(() => services?.harness.close());

const limit = async (limits: object, period = 'month') => {
  const body = { limits, period };
  expect((await call(services, services.acme, ['POST', '/quota/initialize'], body)).status).toBe(201);
};
const ask = (change: Parameters<typeof reserve>[2] = {}) => reserve(services, services.acme.tenantId, change);
const quota = async () => (await call(services, services.acme, ['GET', '/quota'])).body;
const settle = (reservationId: string, change: object = {}) =>
  count(
    services,
    newTurn(services.acme.tenantId, { reservationId, completedAt: now.toISOString(), ...change }),
  );
const expire = () =>
  services.harness.asOwner(`update usage.reservations set expires_at = now() - interval '1 millisecond'`);

test('without a quota everything is granted, and nothing is kept', async () => {
  expect(await ask()).toEqual({ hasQuota: false, granted: true, reservationId: null, exceeded: [] });
  expect(await services.harness.asOwner('select from usage.reservations')).toEqual([]);
});

test('200 simultaneous calls on two instances: a limit of 7 messages grants exactly 7', async () => {
  await limit({ messages: 7 });
  const answers = await Promise.all(Array.from({ length: 200 }, () => ask()));
  const granted = answers.filter((answer) => answer.granted);
  expect(granted).toHaveLength(7);
  expect(new Set(granted.map(({ reservationId }) => reservationId)).size).toBe(7);
  expect(await quota()).toMatchObject({
    used: { messages: 0 },
    reserved: { messages: 7 },
    remaining: { messages: 0 },
  });
  for (const { reservationId } of granted) await settle(reservationId!);
  expect(await quota()).toMatchObject({
    used: { messages: 7 },
    reserved: { messages: 0 },
    exceeded: ['messages'],
  });
  expect(await ask()).toEqual({
    hasQuota: true,
    granted: false,
    reservationId: null,
    exceeded: ['messages'],
  });
});

test.each(['inputTokens', 'outputTokens'])(
  '%s: only the last one granted can pass the limit',
  async (name) => {
    await limit({ [name]: 1000 });
    const estimate = { inputTokens: 300, outputTokens: 300 };
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask({ estimate })));
    expect(answers.filter(({ granted }) => granted)).toHaveLength(4);
  },
);

test('a cost is reserved at the price of the model; one without a price reserves none', async () => {
  await limit({ costMicroUsd: 1000 });
  const dear = { provider: 'openai', model: 'gpt-4o', estimate: { inputTokens: 0, outputTokens: 60 } };
  expect((await ask(dear)).granted).toBe(true);
  expect((await quota()).reserved.costMicroUsd).toBe(600);
  expect((await ask(dear)).granted).toBe(true);
  expect((await ask(dear)).granted).toBe(false);
  await expire();
  expect((await ask()).granted).toBe(true);
  expect((await quota()).reserved).toMatchObject({ messages: 1, costMicroUsd: 0 });
});

test("reservations of others don't exhaust a limit: nothing is exceeded while they may be returned", async () => {
  await limit({ messages: 1 });
  const { reservationId } = await ask();
  expect(await ask()).toEqual({ hasQuota: true, granted: false, reservationId: null, exceeded: [] });
  await settle(reservationId!, { outcome: 'apologized', inputTokens: 0, outputTokens: 0, toolCalls: 0 });
  expect((await ask()).granted).toBe(true);
});

test('a retried turn holds one reservation, even if the quota is full by now', async () => {
  await limit({ messages: 1 });
  const reservationId = uuidv7();
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask({ reservationId })));
  expect(answers).toEqual(
    Array.from({ length: 20 }, () => ({ hasQuota: true, granted: true, reservationId, exceeded: [] })),
  );
  expect((await quota()).reserved.messages).toBe(1);
});

test('an unsettled reservation expires, without a job for it', async () => {
  await limit({ messages: 1 });
  const crashed = uuidv7();
  expect((await ask({ reservationId: crashed })).granted).toBe(true);
  await expire();
  expect(await quota()).toMatchObject({ reserved: { messages: 0 }, remaining: { messages: 1 } });
  expect((await ask()).granted).toBe(true);
  expect((await ask({ reservationId: crashed })).granted).toBe(false);
});

test('a reservation that is settled after it expired still counts', async () => {
  await limit({ messages: 5 });
  const { reservationId } = await ask();
  await expire();
  await services.harness.asOwner('delete from usage.reservations');
  await settle(reservationId!);
  expect(await quota()).toMatchObject({ used: { messages: 1 }, reserved: { messages: 0 } });
});

test('a try that arrives after its turn has ended reserves nothing again', async () => {
  await limit({ messages: 2 });
  const reservationId = uuidv7();
  await ask({ reservationId });
  await settle(reservationId);
  expect((await ask({ reservationId })).granted).toBe(true);
  expect(await quota()).toMatchObject({ used: { messages: 1 }, reserved: { messages: 0 } });
});

test('a reservation from before midnight that ends after it belongs to the new day, and one that ends before it to the old one', async () => {
  now = new Date('2026-11-21T23:59:59.900Z');
  await limit({ messages: 2 }, 'day');
  const [late, early] = [await ask(), await ask()];
  now = new Date('2026-11-22T00:00:00.100Z');
  expect(await ask()).toMatchObject({ granted: false, exceeded: [] });
  await settle(late.reservationId!);
  await settle(early.reservationId!, { completedAt: '2026-11-21T23:59:59.950Z' });
  expect(await quota()).toMatchObject({ used: { messages: 1 }, reserved: { messages: 0 } });
  expect((await ask()).granted).toBe(true);
  now = new Date('2026-11-21T23:59:59.999Z');
  expect(await quota()).toMatchObject({ used: { messages: 1 } });
});

test('counting and reserving at the same time, on two instances, never grant more than the limit in all', async () => {
  await limit({ messages: 30 });
  let granted = 0;
  const work = async () => {
    for (let tries = 0; tries < 12; tries += 1) {
      const answer = await ask();
      if (!answer.granted) continue;
      granted += 1;
      await settle(answer.reservationId!);
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
  expect(granted).toBe(30);
  expect(await quota()).toMatchObject({ used: { messages: 30 }, reserved: { messages: 0 } });
});

test('while turns are being counted, a quota that is made and a reservation wait for the end of it', async () => {
  const { acme, harness } = services;
  const turn = newTurn(acme.tenantId, { completedAt: now.toISOString() });
  const whileCounting = async <Result>(work: () => Promise<Result>) =>
    await withTenant(
      harness.databaseAs('usage'),
      [acme.tenantId],
      async (tx) => {
        await countTurns({ costOf: () => null, now: () => now } as unknown as Deps, tx, [turn]);
        return await startAndMissLock(harness, work);
      },
      { staysOpen: true },
    );
  const made = await whileCounting(() => limit({ messages: 2 }));
  await made.working;
  expect(await quota()).toMatchObject({ used: { messages: 1 } });
  const reserved = await whileCounting(() => ask());
  expect(await reserved.working).toMatchObject({ granted: true });
});

test("another tenant's reservations are its own, and an identifier of another tenant's is of no use", async () => {
  await limit({ messages: 1 });
  await call(services, services.other, ['POST', '/quota/initialize'], { limits: { messages: 1 } });
  const { reservationId } = await ask();
  const foreign = { reservationId: reservationId! };
  expect((await reserve(services, services.other.tenantId, foreign)).granted).toBe(true);
  await count(services, newTurn(services.other.tenantId, foreign));
  expect((await quota()).reserved.messages).toBe(1);
});
