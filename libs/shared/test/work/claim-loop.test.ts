import { DatabaseAwayError } from '@botyard/shared/db/failures';
import { createLog } from '@botyard/shared/log/log';
import { StallMonitor } from '@botyard/shared/service/stalls';
import { ClaimLoop } from '@botyard/shared/work/claim-loop';
import { eventually } from '@botyard/testing/eventually';
import { expect, onTestFinished, test } from 'vitest';

/** A loop whose claims fail with the given error until it is taken away. */
function failingLoop(error: Error) {
  const clock = { ms: 0 };
  const lines: string[] = [];
  const log = createLog('webhooks', 'info', { write: (line) => void lines.push(JSON.parse(line).msg) });
  const stalls = new StallMonitor({ log, now: () => clock.ms });
  const fault: { error: Error | undefined } = { error };
  let claims = 0;
  const loop = new ClaimLoop<never>({
    name: 'sender',
    maxConcurrent: 1,
    pollEveryMs: 10,
    claim: async () => {
      claims += 1;
      if (fault.error) throw fault.error;
      return [];
    },
    run: async () => undefined,
    log,
    stalls,
  });
  loop.start();
  onTestFinished(() => loop.stop());
  const claimsMore = async () => {
    const before = claims;
    await eventually('it claims again', () => claims > before + 2);
  };
  return { clock, lines, stalls, fault, claimsMore };
}

test('rule 22: a loop that can claim nothing is shown after 5 s with its reason, logged once, and no longer once it can', async () => {
  const { clock, lines, stalls, fault, claimsMore } = failingLoop(
    new Error('permission denied for table chats'),
  );
  await claimsMore();
  expect(stalls.list()).toEqual([]);
  clock.ms = 5000;
  await claimsMore();
  const reason = "work can't be claimed: permission denied for table chats";
  expect(stalls.list()).toMatchObject([{ part: 'sender', reason }]);
  expect(lines).toEqual([`stalled: sender: ${reason}. Look at Postgres, and at the error in this line.`]);
  fault.error = undefined;
  await claimsMore();
  expect(stalls.list()).toEqual([]);
  expect(lines.at(-1)).toBe('no longer stalled: sender');
});

test('a loop that is stopped waits for the jobs that run', async () => {
  const log = createLog('webhooks', 'silent');
  const job = Promise.withResolvers<void>();
  const jobs = [1];
  let isRunning = false;
  const loop = new ClaimLoop<number>({
    name: 'sender',
    maxConcurrent: 1,
    pollEveryMs: 10,
    log,
    stalls: new StallMonitor({ log }),
    claim: async () => jobs.splice(0),
    run: async () => {
      isRunning = true;
      await job.promise;
      isRunning = false;
    },
  });
  loop.start();
  await eventually('the job runs', () => isRunning);
  let wasRunning: boolean | undefined;
  const stopped = loop.stop().then(() => {
    wasRunning = isRunning;
  });
  setImmediate(() => job.resolve());
  await stopped;
  expect(wasRunning).toBe(false);
});

test('an unreachable database is not reported as a stall of each loop, nor with a line for each of them', async () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  const { clock, lines, stalls, claimsMore } = failingLoop(new DatabaseAwayError(refused));
  await claimsMore();
  clock.ms = 60_000;
  await claimsMore();
  expect(stalls.list()).toEqual([]);
  expect(lines).toEqual([]);
});
