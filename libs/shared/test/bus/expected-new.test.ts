import { randomUUID } from 'node:crypto';
import { authorizationChanged } from '@botyard/contracts/events/tenancy';
import { onBatch, type Received } from '@botyard/shared/bus/consumer';
import { handleAsNew, handleOnce, readEvent } from '@botyard/shared/bus/inbox';
import { ofLivingTenants } from '@botyard/shared/bus/living-tenants';
import { Consumer } from '@botyard/shared/bus/stream-consumer';
import { withPlatform } from '@botyard/shared/db/database';
import { insertDeletedTenant } from '@botyard/shared/db/deleted-tenants';
import { eventually } from '@botyard/testing/eventually';
import { ServiceHarness } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

let harness: ServiceHarness;
beforeAll(async () => {
  harness = await ServiceHarness.open();
});
afterAll(() => harness?.close());

/** The steps that happened, in order. */
let log: string[];
/** Called by the handler before it sends its statement. */
let before: () => Promise<void>;
beforeEach(() => {
  log = [];
  before = () => Promise.resolve();
});

/** The effect of an event is a deleted tenant, so that the owner can look at it. */
const [subscription] = ofLivingTenants<object>('usage', [
  onBatch(authorizationChanged, async (tx, events: Received<typeof authorizationChanged>[]) => {
    await before();
    tx.afterFailure(() => log.push('undone'));
    tx.afterCommit(() => log.push(...events.map(({ data }) => data.tenantId)));
    for (const { data } of events) await insertDeletedTenant(tx, 'usage', data.tenantId);
  }),
]);

const inbox = () => ({ database: harness.databaseAs('usage'), schema: 'usage', deps: {} });
const newEvent = (tenantId: string = randomUUID()) =>
  readEvent(subscription!, { id: randomUUID(), said: { tenantId } });
const effects = async (...tenantIds: string[]) =>
  (
    await harness.asOwner<{ tenant_id: string }>(
      'select tenant_id from usage.deleted_tenants where tenant_id = any($1::uuid[])',
      [tenantIds],
    )
  ).map((row) => row.tenant_id);

test('an event handled as new has its effect and its mark, and is then known', async () => {
  const event = newEvent();
  expect(await handleAsNew(inbox(), [event])).toBe(true);
  expect(log).toEqual([event.tenantId]);
  expect(await effects(event.tenantId)).toEqual([event.tenantId]);
  await handleOnce(inbox(), [event]);
  expect(log).toEqual([event.tenantId]);
});

test.each([
  ['was handled before', (event: ReturnType<typeof newEvent>) => handleOnce(inbox(), [event])],
  [
    'is of a tenant that is gone',
    ({ tenantId }: ReturnType<typeof newEvent>) =>
      withPlatform(harness.databaseAs('usage'), 'test', (tx) => insertDeletedTenant(tx, 'usage', tenantId)),
  ],
])('when one of the events %s, none handled as new has an effect', async (_what, make) => {
  const [known, other] = [newEvent(), newEvent()];
  await make(known);
  log = [];
  expect(await handleAsNew(inbox(), [known, other])).toBe(false);
  expect(log).toEqual(['undone']);
  expect(await effects(other.tenantId)).toEqual([]);
  await handleOnce(inbox(), [known, other]);
  expect(log).toEqual(['undone', other.tenantId]);
});

test('a handler that is slower than the look at its events learns that they were not new', async () => {
  const event = newEvent();
  await handleOnce(inbox(), [event]);
  log = [];
  const slow = Promise.withResolvers<void>();
  before = () => slow.promise;
  const handled = handleAsNew(inbox(), [event]);
  await eventually('the look has failed', async () => {
    const failed = await harness.asOwner(
      "select from pg_stat_activity where datname = current_database() and state = 'idle in transaction (aborted)'",
    );
    return failed.length > 0;
  });
  slow.resolve();
  expect(await handled).toBe(false);
  expect(log).toEqual(['undone']);
});

test("a failure of the handler is the event's own", async () => {
  const event = newEvent();
  before = () => Promise.reject(new Error('the handler failed'));
  await expect(handleAsNew(inbox(), [event])).rejects.toThrow('the handler failed');
  expect(await effects(event.tenantId)).toEqual([]);
});

test('an event whose handler fails after it has announced its last statements is not marked as handled', async () => {
  let fails = true;
  const ending = onBatch(
    authorizationChanged,
    async (tx, [event]: Received<typeof authorizationChanged>[]) => {
      tx.endsHere();
      if (fails) throw new Error('the handler failed');
      await insertDeletedTenant(tx, 'usage', event!.data.tenantId);
    },
  );
  const { id, data, tenantId } = newEvent();
  const event = readEvent(ending, { id, said: data });
  await expect(handleAsNew(inbox(), [event])).rejects.toThrow('the handler failed');
  fails = false;
  expect(await handleAsNew(inbox(), [event])).toBe(true);
  expect(await effects(tenantId)).toEqual([tenantId]);
});

test('a repeated event, and one of a deleted tenant, delay none of their batch', async () => {
  const [bus] = await Promise.all([harness.busAs('usage'), harness.busAs('tenancy')]);
  const [known, gone, fresh] = [randomUUID(), randomUUID(), randomUUID()];
  const eventId = randomUUID();
  await handleOnce(inbox(), [readEvent(subscription!, { id: eventId, said: { tenantId: known } })]);
  await withPlatform(harness.databaseAs('usage'), 'test', (tx) => insertDeletedTenant(tx, 'usage', gone));
  log = [];
  const consumer = new Consumer({ bus, owner: 'tenancy', subscriptions: [subscription!], ...inbox() });
  await harness.publish(authorizationChanged, { tenantId: known }, { eventId });
  await harness.publish(authorizationChanged, { tenantId: gone });
  await harness.publish(authorizationChanged, { tenantId: fresh });
  consumer.start();
  await eventually('the new one is handled', () => log.includes(fresh));
  await harness.settled('usage', 'tenancy');
  await consumer.stop();
  expect(log.filter((one) => one !== 'undone')).toEqual([fresh]);
});
