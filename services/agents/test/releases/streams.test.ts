import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { drawWithdrawals } from '../../../../tools/generate/pictures/withdrawals.ts';
import { neededSessions } from '../../src/releases/domain/needed-sessions.ts';
import { type AgentsServices, openAgentsServices } from '../agents-services.ts';
import { equal, type Stream, withdrawnAfter, worse } from './simulation.ts';
import { StoredStreams } from './stored-streams.ts';

/** `npm run releases` runs more streams, of more sessions. */
const ordered = process.env.BOTYARD_STREAMS;
const streams = Number(ordered ?? 4);
const [ofWorse, ofEqual] = ordered === undefined ? [neededSessions(worse), 1200] : [2000, 10_000];
/** The picture is that of so many streams. */
const drawnStreams = 200;
const needed = neededSessions(worse);
const docs = join(import.meta.dirname, '../../../../docs');

let services: AgentsServices;
let stored: StoredStreams;
beforeAll(async () => {
  services = await openAgentsServices();
  stored = await StoredStreams.open(services);
});
afterAll(() => services?.close());

/** The sessions after which the candidates are withdrawn, in the order of the seeds. */
async function runAll(stream: Stream, sessions: number): Promise<(number | null)[]> {
  const withdrawals: (number | null)[] = [];
  for (let seed = 1; seed <= streams; seed += 1)
    withdrawals.push(await stored.withdrawnAfter(stream, seed, sessions));
  return withdrawals;
}

const seeds = Array.from({ length: streams }, (_, index) => index + 1);

test('streams of sessions in the database are decided as computed: worse candidates in time, equal ones rarely', async () => {
  const beganAt = performance.now();
  const worseOnes = await runAll(worse, ofWorse);
  const equalOnes = await runAll(equal, ofEqual);
  expect(worseOnes).toEqual(seeds.map((seed) => withdrawnAfter(worse, seed, ofWorse)));
  expect(equalOnes).toEqual(seeds.map((seed) => withdrawnAfter(equal, seed, ofEqual)));
  const [worseInOrder, equalInOrder] = [inOrder(worseOnes), inOrder(equalOnes)];
  const inTime = worseInOrder.filter((session) => session <= needed);
  expect(inTime.length).toBeGreaterThanOrEqual(streams * 0.95);
  expect(equalInOrder.length).toBeLessThanOrEqual(streams * 0.05);
  if (ordered === undefined) return;
  const minutes = (performance.now() - beganAt) / 60_000;
  process.stdout.write(
    `10 % → 30 %: ${inTime.length} of ${streams} withdrawn by session ${needed}, the median at ` +
      `${worseInOrder[Math.floor(worseInOrder.length / 2)]}\n` +
      `equal: ${equalInOrder.length} of ${streams} withdrawn within ${ofEqual} sessions\n` +
      `${minutes.toFixed(1)} minutes\n`,
  );
  if (streams === drawnStreams)
    writeFileSync(join(docs, 'releases.svg'), drawWithdrawals(worseInOrder, equalInOrder));
});

const inOrder = (withdrawals: readonly (number | null)[]): number[] =>
  withdrawals.filter((session) => session !== null).sort((left, right) => left - right);
