import { routers } from '@botyard/contracts/http/catalogue';
import { expect, test } from 'vitest';
import { maxOfAddress, maxOfPerson, RequestsInFlight } from '../../src/domain/requests-in-flight.ts';

const request = { method: 'GET', path: '/api/agents', person: 'user_1', address: '192.0.2.1' };

/** Enters so often, and returns how many got in at once. */
async function entering(inFlight: RequestsInFlight, count: number, more: Partial<typeof request> = {}) {
  let entered = 0;
  const all = Array.from({ length: count }, () =>
    inFlight.enter({ ...request, ...more }).then((leave) => {
      entered += 1;
      return leave;
    }),
  );
  // Those that still wait at the end of a test are refused later, when nobody listens.
  for (const one of all) one.catch(() => undefined);
  await new Promise((resolve) => setImmediate(resolve));
  return { entered, all };
}

test('so many requests of one person are at work, the next one begins when one ends, and others never wait', async () => {
  const inFlight = new RequestsInFlight(routers);
  const { entered, all } = await entering(inFlight, maxOfPerson + 1);
  expect(entered).toBe(maxOfPerson);
  expect((await entering(inFlight, 1, { person: 'user_2' })).entered).toBe(1);
  (await all[0]!)();
  await all[maxOfPerson];
});

test('without a login the client address counts, of IPv6 its network', async () => {
  const inFlight = new RequestsInFlight(routers);
  const anonymous = { person: undefined as never };
  await entering(inFlight, maxOfAddress, { ...anonymous, address: '2001:db8::1' });
  expect((await entering(inFlight, 1, { ...anonymous, address: '2001:db8::ffff:1' })).entered).toBe(0);
  expect((await entering(inFlight, 1, { ...anonymous, address: '2001:db8:0:1::1' })).entered).toBe(1);
});

test.each([
  ['GET', '/api/events'],
  ['GET', '/api/current-user/changes'],
  ['POST', '/api/agents/01920000-0000-7000-8000-000000000001/try'],
  ['POST', '/webhooks/messenger/x'],
])('%s %s is not counted', async (method, path) => {
  const inFlight = new RequestsInFlight(routers);
  await entering(inFlight, maxOfPerson);
  expect((await entering(inFlight, 1, { method, path })).entered).toBe(1);
});
