import { randomUUID } from 'node:crypto';
import { turnCompleted } from '@botyard/contracts/events/agents';
import { anonymous } from '@botyard/testing/test-call';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  forgetUse,
  newTurn,
  openUsageServices,
  readUsage,
  type Turn,
  type UsageServices,
} from '../usage-services.ts';

let services: UsageServices;

beforeAll(async () => {
  services = await openUsageServices();
});

beforeEach(() => forgetUse(services.harness));

afterAll(() => services?.harness.close());

async function count(...turns: Turn[]) {
  for (const turn of turns) await services.harness.publish(turnCompleted, turn);
  await services.harness.settled('usage', 'agents');
}

test('a tenant that used nothing: zeros, no cost, and the current calendar month in UTC', async () => {
  const before = new Date().toISOString();
  const { periodStart, periodEnd, counters } = await readUsage(services.usage, services.acme);
  expect(counters).toEqual({
    messages: 0,
    inputTokens: 0,
    outputTokens: 0,
    toolCalls: 0,
    costMicroUsd: null,
    unpricedTurns: 0,
  });
  expect(periodStart).toMatch(/^\d{4}-\d\d-01T00:00:00\.000Z$/);
  expect(periodEnd).toMatch(/^\d{4}-\d\d-01T00:00:00\.000Z$/);
  expect(periodStart <= before && new Date().toISOString() < periodEnd).toBe(true);
});

test('sums over bots, agents, providers, models and key sources, own and platform alike', async () => {
  const { tenantId } = services.acme;
  const changes: Partial<Turn>[] = [
    {},
    { botId: randomUUID() },
    { agentId: null, keySource: 'tenant' },
    { provider: 'openai', model: 'large', keySource: 'agent' },
    { provider: null, model: null, keySource: 'none', outcome: 'apologized' },
    { outcome: 'command', inputTokens: 0, outputTokens: 0, toolCalls: 0 },
  ];
  await count(...changes.map((change) => newTurn(tenantId, change)));
  const { counters } = await readUsage(services.usage, services.acme);
  expect(counters).toEqual({
    messages: 4,
    inputTokens: 50,
    outputTokens: 100,
    toolCalls: 5,
    costMicroUsd: null,
    unpricedTurns: 5,
  });
  const rows = await services.harness.asOwner('select cost_micro_usd from usage.counters');
  expect(rows).toEqual(Array.from({ length: 5 }, () => ({ cost_micro_usd: null })));
});

test('the month begins and ends at midnight UTC, to the millisecond', async () => {
  const { acme, usage } = services;
  const { periodStart, periodEnd } = await readUsage(usage, acme);
  const at = (moment: string, offsetMs: number, inputTokens: number) =>
    newTurn(acme.tenantId, {
      inputTokens,
      completedAt: new Date(Date.parse(moment) + offsetMs).toISOString(),
    });
  await count(at(periodStart, -1, 1), at(periodStart, 0, 10), at(periodEnd, -1, 100), at(periodEnd, 0, 1000));
  expect((await readUsage(usage, acme)).counters).toMatchObject({ messages: 2, inputTokens: 110 });
});

test("another tenant's use is its own", async () => {
  const { acme, other, usage } = services;
  await count(newTurn(other.tenantId), newTurn(acme.tenantId), newTurn(other.tenantId));
  expect((await readUsage(usage, acme)).counters.messages).toBe(1);
  expect((await readUsage(usage, other)).counters.messages).toBe(2);
});

test('sums beyond 32 bits are exact', async () => {
  const { acme, usage } = services;
  await count(
    newTurn(acme.tenantId, { inputTokens: 3_000_000_001 }),
    newTurn(acme.tenantId, { inputTokens: 2 }),
  );
  expect((await readUsage(usage, acme)).counters.inputTokens).toBe(3_000_000_003);
});

test('only admins of the tenant and operators may look', async () => {
  const { acme, other, usage } = services;
  const status = async (as: Parameters<typeof usage.call>[2]['as'], tenantId = acme.tenantId) =>
    (await usage.call('GET', `/api/usage/${tenantId}`, { as })).status;
  expect(await status(null)).toBe(401);
  expect(await status(anonymous)).toBe(401);
  expect(await status(acme.member)).toBe(403);
  expect(await status(acme.stranger)).toBe(403);
  expect(await status(other.admin)).toBe(403);
  expect(await status(acme.stranger, randomUUID())).toBe(403);
  expect(await status(acme.stranger, 'nothing')).toBe(403);
  expect(await status(acme.admin)).toBe(200);
  expect(await status(acme.operator)).toBe(200);
  expect(await status(acme.operator, randomUUID())).toBe(404);
});
