import { setAllowance } from '@botyard/contracts/events/usage';
import { platformTenantId } from '@botyard/contracts/platform-tenant';
import { publicProviderNames } from '@botyard/contracts/providers';
import { ask } from '@botyard/shared/bus/requests';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  call,
  count,
  forgetUse,
  newTurn,
  openUsageServices,
  reserve,
  startUsage,
  type Turn,
  type UsageServices,
} from '../usage-services.ts';

const env = { PLATFORM_KEY_MONTHLY_TOKENS: '1000' };
let services: UsageServices;
let now = new Date();

beforeAll(async () => {
  const clock = { now: () => now };
  services = await openUsageServices({ clock, env });
  // Another process of the service: limits must hold over all of them.
  await startUsage(services.harness, { clock, env });
});
beforeEach(async () => {
  now = new Date('2026-11-21T12:00:00.000Z');
  await forgetUse(services.harness);
});
afterAll(() => services?.harness.close());

const estimate = { inputTokens: 150, outputTokens: 150 };
const onPlatformKey = (change: Parameters<typeof reserve>[2] = {}, tenantId = services.acme.tenantId) =>
  reserve(services, tenantId, { provider: 'openai', keyOwner: 'platform', estimate, ...change });
const use = (change: Partial<Turn>) =>
  count(
    services,
    newTurn(services.acme.tenantId, {
      provider: 'openai',
      keySource: 'platform',
      keyId: null,
      inputTokens: 400,
      outputTokens: 400,
      completedAt: now.toISOString(),
      ...change,
    }),
  );
const allow = async (change: object, tenantId = services.acme.tenantId) =>
  await ask(await services.harness.busAs('tenancy'), setAllowance, { tenantId, ...change });
const shown = async () => {
  const { platformKeys } = (await call(services, services.acme, ['GET', ''])).body;
  return platformKeys as Record<string, unknown>[];
};
const expire = () =>
  services.harness.asOwner(`update usage.reservations set expires_at = now() - interval '1 millisecond'`);

test("L-01: 50 simultaneous calls on two processes can't overspend: only the last one granted exceeds the allowance", async () => {
  const answers = await Promise.all(Array.from({ length: 50 }, () => onPlatformKey()));
  expect(answers.filter(({ granted }) => granted)).toHaveLength(4);
  const refused = answers.find(({ granted }) => !granted);
  expect(refused).toEqual({
    hasQuota: false,
    granted: false,
    reservationId: null,
    exceeded: [],
    platformKey: 'reserved_by_others',
  });
  expect((await shown())[0]).toMatchObject({
    monthlyTokens: 1000,
    usedTokens: 0,
    reservedTokens: 1200,
    remainingTokens: 0,
    isUsedUp: false,
  });
});

test('counting and reserving concurrently on two processes, usage exceeds the allowance by one call at most', async () => {
  let granted = 0;
  const work = async () => {
    for (let tries = 0; tries < 8; tries += 1) {
      const answer = await onPlatformKey({ estimate: { inputTokens: 50, outputTokens: 50 } });
      if (!answer.granted) continue;
      granted += 1;
      await use({ inputTokens: 50, outputTokens: 50, reservationId: answer.reservationId! });
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
  expect(granted).toBe(10);
  expect((await shown())[0]).toMatchObject({ usedTokens: 1000, reservedTokens: 0, isUsedUp: true });
});

test('when it is used up, calls are refused with that reason, and it is shown everywhere usage is shown', async () => {
  await use({});
  expect((await onPlatformKey()).platformKey).toBe('granted');
  await use({});
  expect(await onPlatformKey()).toMatchObject({ granted: false, exceeded: [], platformKey: 'used_up' });
  expect(await shown()).toEqual([
    {
      providers: publicProviderNames,
      monthlyTokens: 1000,
      usedTokens: 1600,
      reservedTokens: 300,
      remainingTokens: 0,
      isUsedUp: true,
      periodStart: '2026-11-01T00:00:00.000Z',
      periodEnd: '2026-12-01T00:00:00.000Z',
    },
    expect.objectContaining({ providers: ['private-llm'], monthlyTokens: null, isUsedUp: false }),
  ]);
});

test("the tenant's own keys, the private LLM and other tenants continue when it is used up", async () => {
  await use({ provider: 'anthropic', inputTokens: 5000 });
  expect((await onPlatformKey({ provider: 'anthropic' })).granted).toBe(false);
  expect((await onPlatformKey({ provider: 'openai' })).granted).toBe(false);
  const free = { hasQuota: false, granted: true, reservationId: null, exceeded: [] };
  expect(await onPlatformKey({ keyOwner: 'tenant' })).toEqual(free);
  expect(await onPlatformKey({ provider: 'private-llm' })).toEqual({ ...free, platformKey: 'unlimited' });
  expect((await onPlatformKey({}, services.other.tenantId)).granted).toBe(true);
});

test("use on the tenant's own keys takes nothing of it", async () => {
  await use({ keySource: 'tenant', keyId: uuidv7(), inputTokens: 5000 });
  await use({ provider: 'private-llm', inputTokens: 70, outputTokens: 7 });
  expect(await shown()).toMatchObject([{ usedTokens: 0 }, { usedTokens: 77 }]);
});

test("a dead process's reservation expires, without a job for it", async () => {
  for (let calls = 0; calls < 4; calls += 1) expect((await onPlatformKey()).granted).toBe(true);
  expect((await onPlatformKey()).platformKey).toBe('reserved_by_others');
  await expire();
  expect((await shown())[0]).toMatchObject({ reservedTokens: 0, remainingTokens: 1000 });
  expect((await onPlatformKey()).granted).toBe(true);
});

test("a turn whose own key fails continues with the platform's: its reservation is charged to the allowance once", async () => {
  await call(services, services.acme, ['POST', '/quota/initialize'], { limits: { messages: 5 } });
  const reservationId = uuidv7();
  expect((await onPlatformKey({ reservationId, keyOwner: 'tenant' })).granted).toBe(true);
  expect((await shown())[0]).toMatchObject({ reservedTokens: 0 });
  for (let tries = 0; tries < 3; tries += 1)
    expect(await onPlatformKey({ reservationId })).toMatchObject({ granted: true, platformKey: 'granted' });
  expect((await shown())[0]).toMatchObject({ reservedTokens: 300 });
  expect((await call(services, services.acme, ['GET', '/quota'])).body.reserved.messages).toBe(1);
  await use({ reservationId });
  expect((await shown())[0]).toMatchObject({ usedTokens: 800, reservedTokens: 0 });
});

test("the tenant's quota and the allowance don't override each other", async () => {
  await call(services, services.acme, ['POST', '/quota/initialize'], { limits: { inputTokens: 1e9 } });
  await use({ inputTokens: 2000 });
  expect(await onPlatformKey()).toMatchObject({ hasQuota: true, granted: false, platformKey: 'used_up' });
  await call(services, services.acme, ['POST', '/quota/reset'], {});
  expect((await onPlatformKey()).platformKey).toBe('used_up');
  await allow({ monthlyTokens: 1e9 });
  await call(services, services.acme, ['POST', '/quota/reset'], { limits: { messages: 0 } });
  expect(await onPlatformKey()).toMatchObject({ granted: false, exceeded: ['messages'] });
});

test('an operator sets it for one tenant, and takes it back to the default', async () => {
  await use({ inputTokens: 1000 });
  expect((await onPlatformKey()).granted).toBe(false);
  expect(await allow({ monthlyTokens: 5000 })).toMatchObject({
    tenantId: services.acme.tenantId,
    monthlyTokens: 5000,
    defaultMonthlyTokens: 1000,
    privateLlmMonthlyTokens: null,
    defaultPrivateLlmMonthlyTokens: null,
  });
  expect((await onPlatformKey()).granted).toBe(true);
  await allow({ privateLlmMonthlyTokens: 0 });
  expect((await onPlatformKey()).granted).toBe(true);
  expect((await onPlatformKey({ provider: 'private-llm' })).platformKey).toBe('used_up');
  await allow({ monthlyTokens: 0 });
  expect((await onPlatformKey()).platformKey).toBe('used_up');
  expect(await allow({ monthlyTokens: null })).toMatchObject({ monthlyTokens: null });
  expect((await shown())[0]).toMatchObject({ monthlyTokens: 1000, isUsedUp: true });
});

test('it restarts with the month, and a call that ends late belongs to the month in which it ends', async () => {
  now = new Date('2026-11-30T23:59:59.000Z');
  await use({ inputTokens: 1000 });
  expect((await onPlatformKey()).granted).toBe(false);
  now = new Date('2026-12-01T00:00:01.000Z');
  expect((await onPlatformKey()).granted).toBe(true);
  await use({ completedAt: '2026-11-30T23:59:59.500Z', inputTokens: 9000 });
  expect((await shown())[0]).toMatchObject({ usedTokens: 0 });
});

test('a month without a stored sum starts with its counted usage', async () => {
  await use({ inputTokens: 100, outputTokens: 0 });
  await services.harness.asOwner('delete from usage.allowance_use');
  expect((await shown())[0]).toMatchObject({ usedTokens: 100 });
  await use({ inputTokens: 10, outputTokens: 1 });
  expect((await shown())[0]).toMatchObject({ usedTokens: 111 });
  await use({ inputTokens: 10, outputTokens: 1 });
  expect((await shown())[0]).toMatchObject({ usedTokens: 122 });
});

test("the platform's own bots have no allowance until an operator sets one", async () => {
  expect((await onPlatformKey({}, platformTenantId)).platformKey).toBe('unlimited');
  await allow({ monthlyTokens: 0 }, platformTenantId);
  expect((await onPlatformKey({}, platformTenantId)).platformKey).toBe('used_up');
});
