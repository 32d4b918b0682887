import { accessChanged, authorizationChanged } from '@botyard/contracts/events/tenancy';
import { beforeItExpires, eventually } from '@botyard/testing/eventually';
import { user } from '@botyard/testing/test-call';
import { expect } from 'vitest';
import type { Step, Tables } from '../support/tables.ts';
import { createTenant } from './tenancy-steps.ts';

type Change = (idpUserId: string) => Step;

const access: Change =
  (idpUserId) =>
  async (sut, { tenantId }) => {
    await sut.publish(accessChanged, { idpUserId, tenantId });
  };
const authorization: Change =
  () =>
  async (sut, { tenantId }) => {
    await sut.publish(authorizationChanged, { tenantId });
  };

/**
 * A change by another process of the service is announced only on the bus; here it is made in the tables. A watcher
 * begins by clearing its cache, so the case counts only once the other event is seen to be watched. Cached entries
 * also expire by themselves after 30 s.
 */
const forgetsMember =
  (other: Change, change: Change): Step =>
  async (sut, tenant) => {
    await createTenant(sut, tenant);
    const idpUserId = tenant.withOwnIds('user_2member');
    const call = async (path: string) => await sut.process.call('GET', path, { as: user(idpUserId) });
    const { userId } = (await call('/api/current-user')).body;
    const status = async () => (await call(`/api/bots/tenants/${tenant.tenantId}/members`)).status;
    const isRemembered = async () => {
      await sut.rows(`insert into tenancy.memberships (tenant_id, user_id, role) values ($1, $2, 'admin')`, [
        tenant.tenantId,
        userId,
      ]);
      expect(await status()).toBe(200);
      await sut.rows('delete from tenancy.memberships where user_id = $1', [userId]);
      return (await status()) === 200;
    };
    for (const publishChange of [other, change]) {
      await eventually('the member is remembered', isRemembered);
      await publishChange(idpUserId)(sut, tenant);
      await eventually('the member is refused', async () => (await status()) === 403, beforeItExpires);
    }
  };

export const tenancyWatches: Tables['watches'] = {
  'tenancy.access.changed.v1': forgetsMember(authorization, access),
  'tenancy.authorization.changed.v1': forgetsMember(access, authorization),
};
