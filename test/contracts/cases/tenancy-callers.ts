import { accessChanged, authorizationChanged } from '@botyard/contracts/events/tenancy';
import { beforeItExpires, eventually } from '@botyard/testing/eventually';
import { user } from '@botyard/testing/test-call';
import { expect } from 'vitest';
import type { Step, Tables } from '../support/tables.ts';
import { settle } from './tenancy-world.ts';

type Change = (idpUserId: string) => Step;

const access: Change =
  (idpUserId) =>
  async (lone, { tenantId }) => {
    await lone.publish(accessChanged, { idpUserId, tenantId });
  };
const authorization: Change =
  () =>
  async (lone, { tenantId }) => {
    await lone.publish(authorizationChanged, { tenantId });
  };

/**
 * What another process of the service changes is told by the bus alone: here it is done in the tables. Whatever watches
 * begins by dropping everything, so the case counts once it has been seen that the other event is watched; and memory
 * ends by itself after 30 s.
 */
const forgetsMember =
  (other: Change, change: Change): Step =>
  async (lone, world) => {
    await settle(lone, world);
    const idpUserId = world.said('user_2member');
    const call = async (path: string) => await lone.process.call('GET', path, { as: user(idpUserId) });
    const { userId } = (await call('/api/current-user')).body;
    const status = async () => (await call(`/api/bots/tenants/${world.tenantId}/members`)).status;
    const isRemembered = async () => {
      await lone.rows(`insert into tenancy.memberships (tenant_id, user_id, role) values ($1, $2, 'admin')`, [
        world.tenantId,
        userId,
      ]);
      expect(await status()).toBe(200);
      await lone.rows('delete from tenancy.memberships where user_id = $1', [userId]);
      return (await status()) === 200;
    };
    for (const told of [other, change]) {
      await eventually('the member is remembered', isRemembered);
      await told(idpUserId)(lone, world);
      await eventually('the member is refused', async () => (await status()) === 403, beforeItExpires);
    }
  };

export const tenancyWatches: Tables['watches'] = {
  'tenancy.access.changed.v1': forgetsMember(authorization, access),
  'tenancy.authorization.changed.v1': forgetsMember(access, authorization),
};
