import { eventually } from '@botyard/testing/eventually';
import type { TestService } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { TcpProxy } from '../../../../webhooks/test/tcp-proxy.ts';
import { callOk, newPerson, openPlatform, type Platform, startKeys } from '../../whole-platform.ts';

let platform: Platform;
let cut: TcpProxy;
let frozen: TcpProxy;
let instances: TestService[];

beforeAll(async () => {
  platform = await openPlatform();
  const bus = inject('natsUrl');
  [cut, frozen] = [await TcpProxy.before(bus), await TcpProxy.before(bus)];
  instances = [
    await startKeys(platform, { NATS_URL: cut.through(bus) }),
    await startKeys(platform, { NATS_URL: frozen.through(bus) }),
  ];
});
afterAll(async () => {
  await platform?.close();
  await Promise.all([cut?.cut(), frozen?.cut()]);
});

test('P11: a process that the bus does not reach uses cached answers for 30 s at most, and refuses once it is connected again', async () => {
  const { tenancy, acme } = platform;
  const { as, userId } = await newPerson(platform);
  const members = `/api/bots/tenants/${acme.tenantId}/members`;
  await callOk(tenancy, 'POST', members, { as: acme.admin, body: { userId, role: 'admin' } });
  const statuses = () =>
    Promise.all(
      instances.map(async (keys) => (await keys.call('GET', `/api/keys/${acme.tenantId}`, { as })).status),
    );
  const admitted = () =>
    eventually('both have admitted', async () => (await statuses()).every((status) => status === 200));
  await admitted();
  // The cache is invalidated once more, by the news of the membership.
  await eventually('the membership is announced', async () => {
    const waiting = await platform.harness.asOwner('select from tenancy.outbox where published_at is null');
    return waiting.length === 0;
  });
  await admitted();
  await cut.cut();
  frozen.freeze();
  await callOk(tenancy, 'DELETE', `${members}/${userId}`, { as: acme.admin });
  const revokedAt = performance.now();
  await eventually('nobody is admitted', async () => !(await statuses()).includes(200));
  const afterMs = Math.round(performance.now() - revokedAt);
  expect(await statuses()).toEqual([503, 503]);
  await Promise.all([cut.open(), frozen.cut().then(() => frozen.open())]);
  await eventually('both refuse', async () => (await statuses()).every((status) => status === 403));
  process.stdout.write(`P11: with the bus cut or frozen nobody is admitted from ${afterMs} ms on\n`);
});
