import { setImmediate as turn } from 'node:timers/promises';
import { createLog } from '@botyard/shared/log/log';
import { createPeriodic } from '@botyard/shared/work/periodic';
import { eventually } from '@botyard/testing/eventually';
import { expect, onTestFinished, test } from 'vitest';

function periodic(work: (isStopped: () => boolean) => Promise<void>) {
  const lines: string[] = [];
  const log = createLog('webhooks', 'info', { write: (line) => void lines.push(JSON.parse(line).msg) });
  const worker = createPeriodic({ name: 'tidying', everyMs: 5, work, log });
  onTestFinished(() => worker.stop());
  return { worker, lines };
}

test('a stop waits for the running pass, which learns of it, and none begins afterwards', async () => {
  const pass = Promise.withResolvers<void>();
  let passes = 0;
  let sawStop = false;
  const { worker } = periodic(async (isStopped) => {
    passes += 1;
    await pass.promise;
    await turn();
    sawStop = isStopped();
  });
  worker.start();
  worker.wake();
  const stopped = worker.stop();
  worker.wake();
  pass.resolve();
  await stopped;
  worker.wake();
  expect({ passes, sawStop }).toEqual({ passes: 1, sawStop: true });
});

test('failed work is repeated; each cause is logged once, and so is the recovery', async () => {
  let fault: string | undefined = 'no room';
  let passes = 0;
  const { worker, lines } = periodic(async () => {
    passes += 1;
    if (fault) throw new Error(fault);
  });
  const passesMore = async () => {
    const before = passes;
    await eventually('it is done again', () => passes > before + 2);
  };
  worker.start();
  await passesMore();
  expect(lines).toEqual(['periodic work failed']);
  fault = 'no connection';
  await passesMore();
  expect(lines).toEqual(['periodic work failed', 'periodic work failed']);
  fault = undefined;
  await passesMore();
  expect(lines).toEqual(['periodic work failed', 'periodic work failed', 'periodic work goes on']);
});
