import { tenantDeleted } from '@botyard/contracts/events/tenancy';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addBot, type KeysServices, openKeysServices, storeKey } from '../keys-services.ts';

let services: KeysServices;

beforeAll(async () => {
  services = await openKeysServices();
});

afterAll(() => services?.harness.close());

test("only the deleted tenant's keys are removed", async () => {
  const { harness, keys, acme, other } = services;
  await storeKey(keys, acme);
  await storeKey(keys, acme, { scopeType: 'bot', scopeId: await addBot(services, acme) });
  const kept = await storeKey(keys, other);
  await harness.publish(tenantDeleted, { tenantId: acme.tenantId });
  await harness.settled('keys', 'tenancy');
  expect(await harness.asOwner('select key_id from keys.keys')).toEqual([{ key_id: kept }]);
  expect(await harness.asOwner('select * from keys.dead_letters')).toEqual([]);
});
