import { randomUUID } from 'node:crypto';
import type { Identity } from '@botyard/contracts/identity';
import { publicProviderNames } from '@botyard/contracts/providers';
import type { TestService } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createApp } from '../../../tenancy/src/app.ts';
import { tenancyConfig } from '../../../tenancy/src/config.ts';
import {
  forgetUse,
  openUsageServices,
  readUsage,
  startUsage,
  type UsageServices,
} from '../usage-services.ts';

let services: UsageServices;
let tenancy: TestService;

beforeAll(async () => {
  services = await openUsageServices();
  tenancy = await services.harness.start({
    service: 'tenancy',
    schema: tenancyConfig,
    createApp,
    env: { MESSENGER_API_URL: 'http://messenger.invalid', IDP_API_URL: 'http://idp.invalid/v1' },
  });
});
beforeEach(() => forgetUse(services.harness));
afterAll(() => services?.harness.close());

function at(
  method: 'GET' | 'PUT',
  body?: unknown,
  { as, tenantId }: { as?: Identity; tenantId?: string } = {},
) {
  const { acme } = services;
  return tenancy.call(method, `/api/bots/superadmin/tenants/${tenantId ?? acme.tenantId}/allowance`, {
    as: as ?? acme.operator,
    ...(body === undefined ? {} : { body }),
  });
}

test('L-01: an operator sets the allowance of a tenant, which sees it with its counters', async () => {
  expect((await at('PUT', { monthlyTokens: 5000 })).body).toMatchObject({
    tenantId: services.acme.tenantId,
    monthlyTokens: 5000,
    defaultMonthlyTokens: 1_000_000,
    privateLlmMonthlyTokens: null,
    defaultPrivateLlmMonthlyTokens: null,
  });
  expect((await at('GET')).body).toMatchObject({ monthlyTokens: 5000 });
  expect(await readUsage(services.usage, services.acme)).toMatchObject({
    platformKeys: [
      { providers: publicProviderNames, monthlyTokens: 5000, usedTokens: 0, isUsedUp: false },
      { providers: ['private-llm'], monthlyTokens: null, remainingTokens: null, isUsedUp: false },
    ],
  });
  expect(await readUsage(services.usage, services.other)).toMatchObject({
    platformKeys: [{ monthlyTokens: 1_000_000 }, {}],
  });
  expect((await at('PUT', { monthlyTokens: null })).body).toMatchObject({ monthlyTokens: null });
});

test('it is in the audit log, with its value', async () => {
  await at('PUT', { monthlyTokens: 4321 });
  const line = services.harness.logLines.findLast((text) => text.includes('allowance of a tenant'));
  expect(JSON.parse(line!)).toMatchObject({ subject: services.acme.tenantId, monthlyTokens: 4321 });
});

test.each([
  [{}],
  [{ monthlyTokens: -1 }],
  [{ monthlyTokens: 1.5 }],
  [{ monthlyTokens: '5' }],
  [{ monthlyTokens: 1e300 }],
  [{ monthlyTokens: undefined, privateLlmMonthlyTokens: 'unlimited' }],
  [[]],
])('%j is 400, and sets nothing', async (body) => {
  const { status, body: answer } = await at('PUT', body);
  expect([status, answer.issues?.length > 0 || typeof answer.error === 'string']).toEqual([400, true]);
  expect((await at('GET')).body).toMatchObject({ monthlyTokens: null, privateLlmMonthlyTokens: null });
});

describe('it is for operators', () => {
  test.each(['admin', 'member', 'stranger'] as const)('a %s is refused', async (kind) => {
    const as = services.acme[kind];
    expect((await at('GET', undefined, { as })).status).toBe(403);
    expect((await at('PUT', { monthlyTokens: 1e9 }, { as })).status).toBe(403);
  });

  test.each([randomUUID(), 'no-uuid'])('%s names no tenant: 404', async (tenantId) => {
    expect((await at('GET', undefined, { tenantId })).status).toBe(404);
    expect((await at('PUT', { monthlyTokens: 1 }, { tenantId })).status).toBe(404);
  });
});

test('while the usage service is down it is 503, and nothing is half set', async () => {
  await services.usage.stop();
  expect((await at('PUT', { monthlyTokens: 7 })).status).toBe(503);
  expect((await at('GET')).status).toBe(503);
  services.usage = await startUsage(services.harness);
  expect((await at('GET')).body).toMatchObject({ monthlyTokens: null });
});

test.each([['-1'], ['1.5'], ['many'], ['Unlimited']])(
  'PLATFORM_KEY_MONTHLY_TOKENS=%s ends the start with a line that names it',
  async (content) => {
    const starting = startUsage(services.harness, { env: { PLATFORM_KEY_MONTHLY_TOKENS: content } });
    await expect(starting).rejects.toThrow(
      'PLATFORM_KEY_MONTHLY_TOKENS: must be a whole number, or unlimited',
    );
  },
);
