import type { Identity } from '@botyard/contracts/identity';
import { platformTenantId } from '@botyard/contracts/platform-tenant';
import { beforeItExpires, eventually } from '@botyard/testing/eventually';
import { createTenantWithPeople, type People } from '@botyard/testing/people';
import { ServiceHarness, type TestService } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApp as createKeysApp } from '../../../../keys/src/app.ts';
import { keysConfig } from '../../../../keys/src/config.ts';
import { createApp } from '../../../src/app.ts';
import { tenancyConfig } from '../../../src/config.ts';
import { createBot } from '../../tenancy-services.ts';
import { callOk } from '../../whole-platform.ts';

let harness: ServiceHarness;
let tenancy: TestService;
let keys: TestService;
let acme: People;
/** The time that policies use: a Wednesday. */
let now = new Date('2026-03-04T09:30:00.000Z');

beforeAll(async () => {
  harness = await ServiceHarness.open();
  const env = { MESSENGER_API_URL: 'http://nowhere.invalid', IDP_API_URL: 'http://nowhere.invalid' };
  tenancy = await harness.start({
    service: 'tenancy',
    schema: tenancyConfig,
    createApp: (config, runtime) => createApp(config, runtime, { now: () => now }),
    env,
  });
  keys = await harness.start({ service: 'keys', schema: keysConfig, createApp: createKeysApp });
  acme = await createTenantWithPeople(harness, tenancy);
});
afterAll(() => harness?.close());

const policies = '/api/auth/policies';
const office = { 'x-forwarded-for': '192.0.2.17' };
const elsewhere = { 'x-forwarded-for': '198.51.100.4' };

/** Does something while a policy of the tenant holds. */
async function under(text: string, work: () => Promise<void>, { admin } = acme): Promise<void> {
  const body = { name: 'under test', text };
  const { policyId } = await callOk(tenancy, 'POST', policies, { as: admin, body });
  try {
    await work();
  } finally {
    await callOk(tenancy, 'DELETE', `${policies}/${policyId}`, { as: admin });
  }
}

const open = { tenant: 200, rename: 200, keys: 200 };

/** Asks both services. Another one may not know of a new policy for a moment. */
async function expectStatuses(
  expected: typeof open,
  as: Identity,
  headers: Record<string, string> = {},
): Promise<void> {
  const call = async (service: TestService, method: string, path: string, body?: object) =>
    (await service.call(method, path, { as, headers, ...(body ? { body } : {}) })).status;
  const statuses = async () => ({
    tenant: await call(tenancy, 'GET', `/api/bots/tenants/${acme.tenantId}`),
    rename: await call(tenancy, 'PUT', `/api/bots/tenants/${acme.tenantId}`, {}),
    keys: await call(keys, 'GET', `/api/keys/${acme.tenantId}`),
  });
  await eventually('policies hold', async () => (await statuses()).keys === expected.keys, beforeItExpires);
  expect(await statuses()).toEqual(expected);
}

test('by address: only the office may, in both services', async () => {
  await expectStatuses(open, acme.admin, elsewhere);
  await under(
    'forbid(principal is User, action, resource) unless { context.address.isInRange(ip("192.0.2.0/24")) };',
    async () => {
      await expectStatuses(open, acme.admin, office);
      await expectStatuses({ tenant: 403, rename: 403, keys: 403 }, acme.admin, elsewhere);
    },
  );
});

test('by hour and weekday', async () => {
  const text = `forbid(principal is User, action == Action::"manage", resource)
    when { context.hour < 8 || context.hour >= 18 || context.weekday > 5 || context.now >= datetime("2030-01-01") };`;
  await under(text, async () => {
    const at = async (time: string, expected: typeof open) => {
      now = new Date(time);
      await expectStatuses(expected, acme.admin);
    };
    const closed = { tenant: 200, rename: 403, keys: 403 };
    await at('2026-03-04T08:00:00.000Z', open);
    await at('2026-03-04T07:59:59.999Z', closed);
    await at('2026-03-04T18:00:00.000Z', closed);
    await at('2026-03-06T12:00:00.000Z', open);
    await at('2026-03-07T12:00:00.000Z', closed);
    await at('2026-03-08T12:00:00.000Z', closed);
    await at('2030-01-01T12:00:00.000Z', closed);
  });
  now = new Date('2026-03-04T09:30:00.000Z');
});

test('by router and by method', async () => {
  await under('forbid(principal is User, action, resource) when { context.router == "keys" };', async () => {
    await expectStatuses({ tenant: 200, rename: 200, keys: 403 }, acme.admin);
  });
  await under('forbid(principal is User, action, resource) when { context.method == "PUT" };', async () => {
    await expectStatuses({ tenant: 200, rename: 403, keys: 200 }, acme.admin);
  });
});

test('by who it is; an operator is bound too, and a bot can be meant alone', async () => {
  await under('forbid(principal is User, action, resource) when { principal.isOperator };', async () => {
    await expectStatuses({ tenant: 403, rename: 403, keys: 403 }, acme.operator);
    await expectStatuses(open, acme.admin);
  });
  const botId = await createBot({ tenancy }, acme, { name: 'Guarded' });
  const second = await createBot({ tenancy }, acme);
  const text = 'forbid(principal is User, action, resource is Bot) when { resource.name == "Guarded" };';
  await under(text, async () => {
    const read = async (id: string) =>
      (await tenancy.call('GET', `/api/bots/${acme.tenantId}/${id.toUpperCase()}`, { as: acme.admin }))
        .status;
    expect([await read(botId), await read(second)]).toEqual([403, 200]);
  });
});

test('a refusal looks as it does to a stranger, a stranger learns of no policy, and the log knows the reason', async () => {
  const path = `/api/keys/${acme.tenantId}`;
  const asStranger = await keys.call('GET', path, { as: acme.stranger });
  await under('forbid(principal is User, action, resource);', async () => {
    const refused = await eventually('the policy holds', async () => {
      const answer = await keys.call('GET', path, { as: acme.admin, headers: elsewhere });
      return answer.status !== 200 && answer;
    });
    expect([refused.status, refused.text]).toEqual([403, asStranger.text]);
    const unaware = await keys.call('GET', path, { as: acme.stranger });
    expect([unaware.status, unaware.text]).toEqual([403, asStranger.text]);
  });
  const lines = harness.logLines.map((line) => JSON.parse(line)).filter(({ audit }) => audit === 'refused');
  const own = lines.filter(({ router }) => router === 'keys').at(-1);
  expect(own).toMatchObject({
    tenantId: acme.tenantId,
    policies: ['under test'],
    reason: 'policy',
    method: 'GET',
    address: '198.51.100.4',
  });
});

test('a policy that forbids everything does not keep its tenant from mending it', async () => {
  await under('forbid(principal is User, action, resource);', async () => {
    expect((await tenancy.call('GET', policies, { as: acme.admin })).status).toBe(200);
    expect((await tenancy.call('GET', '/api/authorization-edges', { as: acme.admin })).status).toBe(403);
    expect((await tenancy.call('GET', policies, { as: acme.member })).status).toBe(403);
  });
});

test('a forbid that fails refuses, although Cedar would skip it', async () => {
  const text =
    'forbid(principal is User, action == Action::"read", resource) when { context.hour * 9223372036854775807 > 5 };';
  await under(text, async () => {
    await expectStatuses({ tenant: 403, rename: 200, keys: 200 }, acme.admin);
  });
});

test('lists over several tenants leave out those whose policies refuse reading', async () => {
  const created = await callOk(tenancy, 'POST', '/api/bots/tenants', {
    as: acme.admin,
    body: { name: 'Second' },
  });
  await createBot({ tenancy }, acme);
  const second = { ...acme, tenantId: created.tenantId as string };
  await createBot({ tenancy }, second);
  await callOk(tenancy, 'POST', '/api/tenant/select', {
    as: acme.admin,
    body: { tenantId: second.tenantId },
    status: 200,
  });
  const list = (path: string, as = acme.admin) => tenancy.call('GET', path, { as });
  const tenantIds = async (path: string) =>
    new Set((await list(path)).body.map(({ tenantId }: { tenantId: string }) => tenantId));
  const both = new Set([acme.tenantId, second.tenantId]);
  expect(await tenantIds('/api/bots/tenants')).toEqual(both);
  await under(
    'forbid(principal is User, action == Action::"read", resource);',
    async () => {
      expect(await tenantIds('/api/bots/tenants')).toEqual(new Set([acme.tenantId]));
      expect(await tenantIds('/api/bots')).toEqual(new Set([acme.tenantId]));
      for (const path of ['/api/bots', '/api/bots/tenants', '/api/users', '/api/users/stats']) {
        const narrowed = await list(`${path}?tenantId=${second.tenantId}`);
        const foreign = await list(`${path}?tenantId=${platformTenantId}`);
        expect([path, narrowed.status, narrowed.text]).toEqual([path, 403, foreign.text]);
        expect((await list(`${path}?tenantId=${acme.tenantId}`)).status).toBe(200);
      }
      expect((await list(`/api/users?tenantId=${second.tenantId}`, acme.operator)).status).toBe(403);
      const { body } = await list('/api/users');
      const seen = body.flatMap(({ tenants }: { tenants: { tenantId: string }[] }) =>
        tenants.map(({ tenantId }) => tenantId),
      );
      expect(new Set(seen)).toEqual(new Set([acme.tenantId]));
    },
    second,
  );
});
