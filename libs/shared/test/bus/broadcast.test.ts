import { randomUUID } from 'node:crypto';
import { authorizationChanged } from '@botyard/contracts/events/tenancy';
import { watch } from '@botyard/shared/bus/broadcast';
import { ensureStream } from '@botyard/shared/bus/streams';
import { eventually } from '@botyard/testing/eventually';
import { ServiceHarness } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, expect, test } from 'vitest';

let harness: ServiceHarness;
beforeAll(async () => {
  harness = await ServiceHarness.open();
});
afterAll(() => harness?.close());

test('a watcher hears events before and after the stream was lost and created again', async () => {
  const [tenancy, keys] = await Promise.all([harness.busAs('tenancy'), harness.busAs('keys')]);
  const heard: string[] = [];
  let gaps = 0;
  watch(keys, authorizationChanged, {
    onEvent: ({ tenantId }) => heard.push(tenantId),
    onGap: () => {
      gaps += 1;
    },
  });
  await eventually('it follows', () => gaps === 1);
  const first = randomUUID();
  await harness.publish(authorizationChanged, { tenantId: first });
  await eventually('the first is heard', () => heard.includes(first));
  await tenancy.live().manager.streams.delete(tenancy.names.stream('tenancy'));
  await ensureStream(tenancy);
  const second = randomUUID();
  await harness.publish(authorizationChanged, { tenantId: second });
  await eventually('the second is heard', () => heard.includes(second));
  expect(heard).toEqual([first, second]);
});

test('a watcher learns of a gap when its connection was lost and restored', async () => {
  const keys = await harness.busAs('keys');
  let gaps = 0;
  const onGap = () => {
    gaps += 1;
  };
  watch(keys, authorizationChanged, { onEvent: () => undefined, onGap });
  await eventually('it follows', () => gaps === 1);
  await keys.live().connection.reconnect();
  await eventually('the gap is told of', () => gaps === 2);
});
