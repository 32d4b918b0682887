import { createHook } from 'node:async_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { eventually } from '@botyard/testing/eventually';
import type { ServiceHarness } from '@botyard/testing/service-harness';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openAgentsServices } from '../services/agents/test/agents-services.ts';
import { openWebhooksServices, startWebhooks } from '../services/webhooks/test/webhooks-services.ts';

/** Timers that code of the services has set and that are still to run, with the places that set them. */
const timers = new Map<number, string>();
const ofServices = /\/(services\/\w+|libs\/shared)\/src\//;
const hook = createHook({
  init: (id, type) => {
    const stack = type === 'Timeout' ? (new Error().stack ?? '') : '';
    const place = stack.split('\n').find((line) => ofServices.test(line));
    if (place) timers.set(id, place.trim());
  },
  destroy: (id) => void timers.delete(id),
});

const patience = { timeoutMs: 20_000 };

beforeAll(() => void hook.enable());
afterAll(() => void hook.disable());

async function startAndStop(): Promise<ServiceHarness[]> {
  const [services, webhooks] = await Promise.all([openAgentsServices(), openWebhooksServices()]);
  await startWebhooks(webhooks);
  expect(timers.size).toBeGreaterThan(0);
  await Promise.all([services.close(), webhooks.harness.close()]);
  await webhooks.messenger.close();
  return [services.harness, webhooks.harness];
}

/** Test files of one process run one after another in it, and leftovers of services would add up. */
test('services that have stopped leave no timer behind, and no memory', async () => {
  const kept = (await startAndStop()).map((harness) => new WeakRef(harness));
  const left = () => [...timers.values()];
  await eventually('no timer is left', () => left().length === 0, patience).catch(() => undefined);
  expect(left()).toEqual([]);
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  await eventually(
    'nothing is kept',
    () => {
      collect();
      return kept.every((harness) => harness.deref() === undefined);
    },
    patience,
  );
});
