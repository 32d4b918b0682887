import { randomUUID } from 'node:crypto';
import { user } from '@botyard/testing/test-call';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { events, type IdpServices, openIdpServices } from '../../idp-services.ts';

let services: IdpServices;
const t0 = 1_795_200_000_000;
beforeAll(async () => {
  services = await openIdpServices();
});
afterAll(() => services?.harness.close());

const id = (name: string) => `${name}_${randomUUID().slice(0, 8)}`;
const operator = user(id('user_operator'), { isOperator: true });
const statusOf = async (idpUserId: string) =>
  (await services.tenancy.call('GET', '/api/dashboard/status', { as: user(idpUserId) })).body;
const ofOperators = async () => {
  const { status, body } = await services.tenancy.call('GET', '/api/config/status', { as: operator });
  expect(status).toBe(200);
  return body.adminsKeptAfterLeaving;
};

/** An organization whose only admin has left. */
async function abandoned() {
  const [anna, ravi, acme] = [id('user_anna'), id('user_ravi'), id('org')];
  await services.tell(
    events.membership([anna, acme, 'org:admin'], t0),
    events.membership([ravi, acme, 'org:member'], t0),
  );
  const { tenantId } = (await services.reachOf(anna))[0]!;
  const { body } = await services.tenancy.call('GET', '/api/current-user', { as: user(anna) });
  expect(await statusOf(anna)).toMatchObject({ adminsKeptAfterLeaving: [], problems: [] });
  await services.tell(events.membership([anna, acme, 'org:admin'], t0 + 1000, 'deleted'));
  return { anna, ravi, acme, tenantId, userId: body.userId as string };
}

test('I-14: a last admin who has left and is kept shows in the tenant and to operators, until there is another', async () => {
  expect(await ofOperators()).toEqual({ count: 0, longest: [] });
  const first = await abandoned();
  const second = await abandoned();
  const keptSince = expect.stringMatching(/^20.*Z$/);
  const status = await statusOf(first.anna);
  expect(status.adminsKeptAfterLeaving).toEqual([{ userId: first.userId, keptSince }]);
  expect(status.problems).toEqual([{ kind: 'adminsKeptAfterLeaving', count: 1 }]);
  const listed = await services.tenancy.call('GET', '/api/dashboard/tenants/status', {
    as: user(first.anna),
  });
  expect(listed.body).toMatchObject([{ adminsKeptAfterLeaving: status.adminsKeptAfterLeaving }]);
  expect(await ofOperators()).toEqual({
    count: 2,
    longest: [
      { tenantId: first.tenantId, userId: first.userId, keptSince },
      { tenantId: second.tenantId, userId: second.userId, keptSince },
    ],
  });
  await services.tell(events.membership([first.ravi, first.acme, 'org:admin'], t0 + 2000, 'updated'));
  expect(await statusOf(first.ravi)).toMatchObject({ adminsKeptAfterLeaving: [], problems: [] });
  expect(await ofOperators()).toMatchObject({ count: 1, longest: [{ tenantId: second.tenantId }] });
  expect((await services.tenancy.call('GET', '/api/config/status', { as: user(first.ravi) })).status).toBe(
    403,
  );
});
