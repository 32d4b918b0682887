import { endpointChanged, messageReceived, registrationChanged } from '@botyard/contracts/events/webhooks';
import { ServiceHarness } from '@botyard/testing/service-harness';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Outbox } from '../../src/bus/outbox.ts';
import { type Database, withTenant } from '../../src/db/database.ts';

let harness: ServiceHarness;
let database: Database;
let outbox: Outbox;

beforeAll(async () => {
  harness = await ServiceHarness.open();
  database = harness.databaseAs('webhooks');
  outbox = new Outbox({ bus: await harness.busAs('webhooks'), database, schema: 'webhooks' });
});
afterAll(async () => {
  await outbox?.stop();
  await harness?.close();
});

test('a listener receives an event when it is committed, before the emitter continues, and never one that was rolled back', async () => {
  const heard: string[] = [];
  outbox.onCommit(endpointChanged, ({ botId }) => heard.push(botId));
  outbox.onCommit(messageReceived, () => heard.push('of another kind'));
  const tenantId = uuidv7();
  const [one, two, three, never] = [uuidv7(), uuidv7(), uuidv7(), uuidv7()];
  await withTenant(database, [tenantId], async (tx) => {
    await outbox.emit(tx, endpointChanged, { tenantId, botId: one });
    await outbox.emit(tx, endpointChanged, { tenantId, botId: two }, { tenantId, botId: three });
    expect(heard).toEqual([]);
  });
  expect(heard).toEqual([one, two, three]);
  const failed = withTenant(database, [tenantId], async (tx) => {
    await outbox.emit(tx, endpointChanged, { tenantId, botId: never });
    throw new Error('rolled back');
  });
  await expect(failed).rejects.toThrow('rolled back');
  expect(heard).toEqual([one, two, three]);
});

test('Postgres can read the JSON of an event with half a character in a text', async () => {
  const tenantId = uuidv7();
  await withTenant(database, [tenantId], (tx) =>
    outbox.emit(tx, registrationChanged, {
      tenantId,
      integrationId: uuidv7(),
      revision: 1,
      state: 'failed',
      lastError: 'half \ud83d of \\ud83d',
      checkedAt: new Date().toISOString(),
    }),
  );
  const read = `select data::jsonb ->> 'lastError' as text from webhooks.outbox where data::jsonb ->> 'tenantId' = $1`;
  expect(await harness.asOwner(read, [tenantId])).toEqual([{ text: 'half \ufffd of \\ud83d' }]);
});
