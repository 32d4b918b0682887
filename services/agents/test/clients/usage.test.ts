import { randomUUID } from 'node:crypto';
import { quotaChanged } from '@botyard/contracts/events/usage';
import { eventually } from '@botyard/testing/eventually';
import { ServiceHarness } from '@botyard/testing/service-harness';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createUsageClient, type UsageClient } from '../../src/clients/usage.ts';
import { startUsage } from '../agents-services.ts';

let harness: ServiceHarness;
let client: UsageClient;
let usage: Awaited<ReturnType<typeof startUsage>>;
const tenantId = randomUUID();

beforeAll(async () => {
  harness = await ServiceHarness.open();
  usage = await startUsage({ harness });
  client = createUsageClient(await harness.busAs('agents'));
});
afterAll(() => harness?.close());

const reserve = (of = tenantId) =>
  client.reserve({
    tenantId: of,
    reservationId: uuidv7(),
    botId: randomUUID(),
    agentId: randomUUID(),
    provider: 'openai',
    model: 'any',
    estimate: { inputTokens: 1, outputTokens: 1 },
    holdMs: 1000,
  });

test('that a tenant has no quota is remembered, until it is announced that it has one', async () => {
  await eventually('it is remembered', async () => {
    expect((await reserve()).hasQuota).toBe(false);
    await harness.asOwner(`insert into usage.quotas values ($1, 'month', 0, null, null, null, now())`, [
      tenantId,
    ]);
    const { hasQuota } = await reserve();
    if (hasQuota) await harness.asOwner('delete from usage.quotas');
    return !hasQuota;
  });
  await harness.publish(quotaChanged, { tenantId });
  const refused = await eventually('it is dropped', async () => {
    const answer = await reserve();
    return answer.hasQuota && answer;
  });
  expect(refused).toEqual({ hasQuota: true, granted: false, reservationId: null, exceeded: ['messages'] });
});

test('a quota is never cached: every call sends a new request, and without an answer there is no quota', async () => {
  await harness.asOwner('update usage.quotas set messages = 1');
  expect((await reserve()).granted).toBe(true);
  expect((await reserve()).granted).toBe(false);
  await usage.stop();
  await expect(reserve()).rejects.toMatchObject({ status: 503 });
  await expect(reserve(randomUUID())).rejects.toMatchObject({ status: 503 });
});
