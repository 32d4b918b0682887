import { randomUUID } from 'node:crypto';
import { createLog } from '@botyard/shared/log/log';
import { StallMonitor } from '@botyard/shared/service/stalls';
import { eventually } from '@botyard/testing/eventually';
import { ServiceHarness } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSendLoop } from '../../../src/delivery/domain/send-loop.ts';

let harness: ServiceHarness;

beforeAll(async () => {
  harness = await ServiceHarness.open();
});
afterAll(() => harness?.close());

test('a chat that was claimed again before its last worker ended stays held when that worker ends', async () => {
  const log = createLog('webhooks', 'silent');
  const tenantId = randomUUID();
  const workers: PromiseWithResolvers<undefined>[] = [];
  const held: (readonly string[])[] = [];
  const loop = createSendLoop<{ tenantId: string }>(
    { database: harness.databaseAs('webhooks'), log, stalls: new StallMonitor({ log }) },
    { processId: randomUUID(), isRestored: Promise.resolve() },
    {
      name: 'test',
      slots: 10,
      keyOf: () => 'the chat',
      claim: async (_tx, _allotment, claimer) => {
        held.push(claimer.held);
        return workers.length < 2 ? [{ tenantId }] : [];
      },
      claimOfLone: async () => [],
      run: () => {
        const worker = Promise.withResolvers<undefined>();
        workers.push(worker);
        return worker.promise;
      },
    },
  );
  loop.start();
  await eventually('two workers hold it', () => {
    loop.wake();
    return workers.length === 2;
  });
  workers[0]!.resolve(undefined);
  await eventually('the first one has ended', () => loop.runningCount === 1);
  const before = held.length;
  await eventually('it was claimed since', () => {
    loop.wake();
    return held.length > before + 1;
  });
  expect(held.at(-1)).toEqual(['the chat']);
  workers[1]!.resolve(undefined);
  await loop.stop();
});
