import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { turnCompleted } from '@botyard/contracts/events/agents';
import { eventually } from '@botyard/testing/eventually';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  call,
  forgetUse,
  newTurn,
  openUsageServices,
  reserve,
  type UsageServices,
  warnings,
} from '../usage-services.ts';

let services: UsageServices;
/** Holds a folder of crash marks for each test. */
let folder: string;
let marks: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'botyard-failpoints-'));
  services = await openUsageServices();
  await services.usage.stop();
});
beforeEach(async () => {
  marks = await mkdtemp(join(folder, 'marks-'));
  await forgetUse(services.harness);
});
afterAll(async () => {
  await services?.harness.close();
  await rm(folder, { recursive: true, force: true });
});

/**
 * A process of usage that dies, as by kill -9, where it passes one of these the second time; another one takes its
 * place.
 */
async function startCrashing(failpoints: string) {
  const start = async () => {
    const env = { NODE_ENV: 'test', FAILPOINTS: failpoints, FAILPOINTS_DIR: marks };
    const running = await services.harness.startProcess('usage', env);
    services.usage = running;
    return running;
  };
  const first = await start();
  const ended = first.ended.then(async ({ signal }) => {
    await start();
    return signal;
  });
  return { ended };
}

async function counted(): Promise<number> {
  const [row] = await services.harness.asOwner<{ count: number }>(
    'select count(*)::int as count from usage.log_entries',
  );
  return row?.count ?? 0;
}

test.each([
  'usage.consumer.before-commit',
  'usage.consumer.before-ack',
  'usage.outbox.before-publish',
  'usage.outbox.before-mark',
])('killed at %s: everything is counted once, quota and warnings included', async (name) => {
  const { harness, acme } = services;
  const { ended } = await startCrashing(`${name}:crash*2`);
  const body = { limits: { messages: 50, outputTokens: 1_000_000 } };
  expect((await call(services, acme, ['POST', '/quota/initialize'], body)).status).toBe(201);
  const turns = Array.from({ length: 60 }, () => newTurn(acme.tenantId, { reservationId: uuidv7() }));
  const { reservationId = '' } = turns[0]!;
  expect(await reserve(services, acme.tenantId, { reservationId })).toMatchObject({ granted: true });
  // Events that arrive together are counted in one transaction, so some arrive later.
  for (const turn of turns.slice(0, 30)) await harness.publish(turnCompleted, turn);
  await eventually('some are counted', async () => (await counted()) >= 30);
  for (const turn of turns.slice(30)) await harness.publish(turnCompleted, turn);
  expect(await ended).toBe('SIGKILL');
  expect(await readdir(marks)).toEqual([name]);
  await eventually('the new process has counted the rest', async () => (await counted()) === 60);
  await harness.settled('usage', 'agents');
  const { body: quota } = await call(services, acme, ['GET', '/quota']);
  const sums = { messages: 60, inputTokens: 600, outputTokens: 1200, toolCalls: 60 };
  expect(quota).toMatchObject({ used: sums, reserved: { messages: 0 }, exceeded: ['messages'] });
  expect((await call(services, acme, ['GET', ''])).body.counters).toMatchObject(sums);
  expect((await warnings(services)).map(({ limit, level }) => [limit, level])).toEqual([
    ['messages', 80],
    ['messages', 100],
  ]);
  await services.usage.stop();
});
