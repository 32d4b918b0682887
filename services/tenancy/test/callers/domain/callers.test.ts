import { accessChanged } from '@botyard/contracts/events/tenancy';
import { beforeItExpires, eventually } from '@botyard/testing/eventually';
import type { TestService } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApp as createUsageApp } from '../../../../usage/src/app.ts';
import { usageConfig } from '../../../../usage/src/config.ts';
import { openTenancyServices, type TenancyServices } from '../../tenancy-services.ts';

let services: TenancyServices;
let usage: TestService;

beforeAll(async () => {
  services = await openTenancyServices();
  usage = await services.harness.start({ service: 'usage', schema: usageConfig, createApp: createUsageApp });
});

afterAll(() => services?.close());

const read = () =>
  usage
    .call('GET', `/api/usage/${services.acme.tenantId}`, { as: services.acme.admin })
    .then((a) => a.status);

test('P11: a removed membership is refused by another service at its announcement', async () => {
  const { harness, acme } = services;
  // Earlier announcements must not invalidate caches in the middle of this test.
  await harness.settled('usage', 'tenancy');
  expect(await read()).toBe(200);
  const { idpUserId } = acme.admin as { idpUserId: string };
  // A tenant always has an admin: the member becomes one first.
  await harness.asOwner(`update tenancy.memberships set role = 'admin' where tenant_id = $1`, [
    acme.tenantId,
  ]);
  await harness.asOwner(
    `delete from tenancy.memberships m using tenancy.users u
     where u.user_id = m.user_id and u.idp_user_id = $1`,
    [idpUserId],
  );
  expect(await read()).toBe(200);
  await harness.publish(accessChanged, { idpUserId, tenantId: acme.tenantId });
  await eventually('the other service refuses', async () => (await read()) === 403, beforeItExpires);
});

test('a new membership applies immediately, without any announcement', async () => {
  const { harness, acme, other } = services;
  const asOther = () => usage.call('GET', `/api/usage/${acme.tenantId}`, { as: other.admin });
  expect((await asOther()).status).toBe(403);
  const { idpUserId } = other.admin as { idpUserId: string };
  await harness.asOwner(
    `insert into tenancy.memberships (tenant_id, user_id, role)
     select $1, user_id, 'admin' from tenancy.users where idp_user_id = $2`,
    [acme.tenantId, idpUserId],
  );
  expect((await asOther()).status).toBe(200);
});
