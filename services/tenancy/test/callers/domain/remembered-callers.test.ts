import { beforeItExpires, eventually } from '@botyard/testing/eventually';
import type { TestService } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeEdges } from '../../graph.ts';
import { callOk, newPerson, openPlatform, type Platform } from '../../whole-platform.ts';

let platform: Platform;
let other: TestService;

beforeAll(async () => {
  platform = await openPlatform();
  other = await platform.harness.startProcess('tenancy', {
    MESSENGER_API_URL: 'http://messenger.invalid',
    IDP_API_URL: 'http://idp.invalid/v1',
  });
});
afterAll(() => platform?.close());

/** An admin of a tenant of their own, whom both processes have admitted there, and remember. */
async function rememberedAdmin() {
  const { tenancy, acme } = platform;
  const { as, userId } = await newPerson(platform);
  const { tenantId } = await callOk(tenancy, 'POST', '/api/bots/tenants', {
    as: acme.admin,
    body: { name: 'T' },
  });
  const members = `/api/bots/tenants/${tenantId}/members`;
  await callOk(tenancy, 'POST', members, { as: acme.admin, body: { userId, role: 'admin' } });
  const status = async (service: TestService) =>
    (await service.call('PUT', `/api/bots/tenants/${tenantId}`, { as, body: { name: 'U' } })).status;
  for (const service of [tenancy, other, tenancy, other]) expect(await status(service)).toBe(200);
  return { path: `${members}/${userId}`, status };
}

test('P11: an admin who is removed or demoted is refused immediately by the process that did it', async () => {
  const { tenancy, acme } = platform;
  for (let round = 0; round < 10; round += 1) {
    const { path, status } = await rememberedAdmin();
    const [method, body] = round % 2 === 0 ? (['DELETE'] as const) : (['PUT', { role: 'member' }] as const);
    await tenancy.call(method, path, { as: acme.admin, body });
    expect(await status(tenancy)).toBe(403);
  }
});

test('P11: and by another process of the service at the announcement', async () => {
  const { tenancy, acme } = platform;
  const { path, status } = await rememberedAdmin();
  await tenancy.call('DELETE', path, { as: acme.admin });
  const revokedAt = performance.now();
  await eventually('the other one refuses', async () => (await status(other)) === 403, beforeItExpires);
  const afterMs = performance.now() - revokedAt;
  process.stdout.write(`P11: refused by another process of tenancy after ${Math.round(afterMs)} ms\n`);
});

test("P11: a person's complete reach is never answered from the cache", async () => {
  const { tenancy, harness, acme } = platform;
  const { as, userId } = await newPerson(platform);
  const tenants = async () => (await tenancy.call('GET', '/api/current-user', { as })).body.tenants;
  // Past the API, so that nothing is announced.
  await writeEdges(harness, acme.tenantId, [
    [`user:${userId}`, 'member', 'group:crew'],
    ['group:crew#member', 'member', `tenant:${acme.tenantId}`],
  ]);
  expect(await tenants()).toEqual([{ tenantId: acme.tenantId, role: 'member' }]);
  await harness.asOwner('delete from tenancy.edges where subject_id = $1', [userId]);
  expect(await tenants()).toEqual([]);
});
