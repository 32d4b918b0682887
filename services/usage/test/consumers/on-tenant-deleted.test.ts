import { turnCompleted } from '@botyard/contracts/events/agents';
import { tenantDeleted } from '@botyard/contracts/events/tenancy';
import { eventually } from '@botyard/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call, newTurn, openUsageServices, reserve, type UsageServices } from '../usage-services.ts';

let services: UsageServices;

beforeAll(async () => {
  services = await openUsageServices();
});

afterAll(() => services?.harness.close());

const tables = ['counters', 'log_entries', 'quotas', 'quota_use', 'quota_warnings', 'reservations'];

test("only the deleted tenant's data is removed, and all of it", async () => {
  const { harness, acme, other } = services;
  for (const people of [acme, other]) {
    const body = { limits: { messages: 2 } };
    expect((await call(services, people, ['POST', '/quota/initialize'], body)).status).toBe(201);
    await reserve(services, people.tenantId);
  }
  for (const { tenantId } of [acme, other, acme, other])
    await harness.publish(turnCompleted, newTurn(tenantId));
  await harness.settled('usage', 'agents');
  await harness.publish(tenantDeleted, { tenantId: acme.tenantId });
  await harness.settled('usage', 'tenancy');
  expect(await reserve(services, acme.tenantId)).toMatchObject({ hasQuota: false });
  for (const table of tables) {
    await eventually(`${table} has rows of the other tenant alone`, async () => {
      const rows = await harness.asOwner<{ tenant_id: string }>(
        `select distinct tenant_id from usage.${table}`,
      );
      return rows.length === 1 && rows[0]?.tenant_id === other.tenantId;
    });
  }
});
