import { turnCompleted } from '@botyard/shared/events/agents';
import { tenantDeleted } from '@botyard/shared/events/tenancy';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newTurn, openUsageServices, type UsageServices } from '../usage-services.ts';

let services: UsageServices;

beforeAll(async () => {
  services = await openUsageServices();
});

afterAll(() => services?.harness.close());

test("a deleted tenant's counters are gone, and nobody else's", async () => {
  const { harness, acme, other } = services;
  for (const { tenantId } of [acme, other, acme]) await harness.publish(turnCompleted, newTurn(tenantId));
  await harness.settled('usage', 'agents');
  await harness.publish(tenantDeleted, { tenantId: acme.tenantId });
  await harness.settled('usage', 'tenancy');
  expect(await harness.asOwner('select tenant_id from usage.counters')).toEqual([
    { tenant_id: other.tenantId },
  ]);
});
