import { beforeItExpires, eventually } from '@botyard/testing/eventually';
import type { TestService } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callOk, newPerson, openPlatform, type Platform } from '../../whole-platform.ts';

let platform: Platform;
let instances: TestService[];

beforeAll(async () => {
  platform = await openPlatform();
  const { harness } = platform;
  instances = await Promise.all([harness.startProcess('keys'), harness.startProcess('keys')]);
});
afterAll(() => platform?.close());

type Way = (path: string) => [method: string, path: string, body?: unknown];
const ways: [string, Way][] = [
  ['removed', (path) => ['DELETE', path]],
  ['demoted', (path) => ['PUT', path, { role: 'member' }]],
  ['of a deleted tenant', (path) => ['DELETE', path.replace(/\/members.*/, '')]],
];

test.each(ways)(
  'P11: an admin who is %s is refused by both processes of another service at the announcement',
  async (name, way) => {
    const { tenancy, acme } = platform;
    const { as, userId } = await newPerson(platform);
    const { tenantId } = await callOk(tenancy, 'POST', '/api/bots/tenants', {
      as: acme.admin,
      body: { name: 'T' },
    });
    const members = `/api/bots/tenants/${tenantId}/members`;
    await callOk(tenancy, 'POST', members, { as: acme.admin, body: { userId, role: 'admin' } });
    const statuses = () =>
      Promise.all(
        instances.map(async (keys) => (await keys.call('GET', `/api/keys/${tenantId}`, { as })).status),
      );
    // Remembered by both from here on.
    await eventually('both have admitted', async () => (await statuses()).every((status) => status === 200));
    const [method, path, body] = way(`${members}/${userId}`);
    const answer = await tenancy.call(method, path, { as: acme.admin, body });
    expect(answer.status).toBeLessThan(300);
    const revokedAt = performance.now();
    await eventually(
      'both refuse',
      async () => (await statuses()).every((status) => status === 403),
      beforeItExpires,
    );
    const afterMs = performance.now() - revokedAt;
    process.stdout.write(`P11: an admin who is ${name} is refused after ${Math.round(afterMs)} ms\n`);
  },
);
