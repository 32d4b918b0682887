import { turnCompleted } from '@botyard/contracts/events/agents';
import { armFailpoints } from '@botyard/shared/service/failpoint';
import { eventually } from '@botyard/testing/eventually';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  forgetUse,
  newTurn,
  openUsageServices,
  readUsage,
  startUsage,
  type UsageServices,
} from '../usage-services.ts';

let services: UsageServices;

beforeAll(async () => {
  services = await openUsageServices();
});

beforeEach(() => forgetUse(services.harness));

afterAll(() => services?.harness.close());

const messages = async () => (await readUsage(services.usage, services.acme)).counters.messages;
const settled = (namespace?: string) =>
  services.harness.settled('usage', 'agents', namespace ? { namespace } : {});

test('two instances that are handed the same events at the same time count each of them once', async () => {
  const { harness, acme, other } = services;
  // An instance on another namespace has a consumer of its own: the bus keeps nothing from being delivered to both.
  const namespace = `${harness.namespace}_twin`;
  await startUsage(harness, { namespace });
  await Promise.all([harness.busAs('agents'), harness.busAs('agents', { namespace })]);
  const turns = Array.from({ length: 200 }, (_, index) => ({
    eventId: uuidv7(),
    data: newTurn(index % 2 ? acme.tenantId : other.tenantId, { agentId: index % 3 ? uuidv7() : null }),
  }));
  await Promise.all([
    ...turns.map(({ eventId, data }) => harness.publish(turnCompleted, data, { eventId })),
    ...turns
      .toReversed()
      .map(({ eventId, data }) => harness.publish(turnCompleted, data, { eventId, namespace })),
  ]);
  await Promise.all([settled(), settled(namespace)]);
  for (const people of [acme, other]) {
    const { counters } = await readUsage(services.usage, people);
    expect(counters).toMatchObject({ messages: 100, inputTokens: 1000, outputTokens: 2000, toolCalls: 100 });
  }
  expect(await harness.asOwner('select * from usage.dead_letters')).toEqual([]);
});

test.each(['usage.consumer.before-ack', 'usage.consumer.before-commit'])(
  'a failure at %s leads to a redelivery that counts the event once',
  async (name) => {
    const { harness, acme } = services;
    armFailpoints({ NODE_ENV: 'test', FAILPOINTS: `${name}:error` });
    const eventId = await harness.publish(turnCompleted, newTurn(acme.tenantId));
    await eventually('the failure was met', async () => {
      const failed = await harness.asOwner('select from usage.consumer_failures where event_id = $1', [
        eventId,
      ]);
      return failed.length > 0;
    });
    await settled();
    expect(await messages()).toBe(1);
  },
);

test('events that are sent again after the bus lost its streams are not counted again', async () => {
  const { harness, acme } = services;
  const data = newTurn(acme.tenantId);
  const eventId = await harness.publish(turnCompleted, data);
  await settled();
  const bus = await harness.busAs('agents');
  const { manager } = bus.live();
  const stream = bus.names.stream('agents');
  const { config } = await manager.streams.info(stream);
  await manager.streams.delete(stream);
  await manager.streams.add(config);
  await harness.publish(turnCompleted, data, { eventId });
  await harness.publish(turnCompleted, newTurn(acme.tenantId));
  await settled();
  expect(await messages()).toBe(2);
});

test('an event that can not be read is parked, and those behind it count', async () => {
  const { harness, acme } = services;
  const broken = { ...newTurn(acme.tenantId), inputTokens: 'many' as unknown as number };
  const eventId = await harness.publish(turnCompleted, broken);
  await harness.publish(turnCompleted, newTurn(acme.tenantId));
  await settled();
  expect(await messages()).toBe(1);
  const parked = await harness.asOwner('select event_id from usage.dead_letters');
  expect(parked).toEqual([{ event_id: eventId }]);
});
