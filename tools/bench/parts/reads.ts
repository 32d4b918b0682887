import type { Groups } from '../../rig/processes.ts';
import { Series } from '../../rig/series.ts';
import { type Check, check } from '../../rig/table.ts';
import type { LoadProcess } from '../load/load-process.ts';
import type { Loop, Target } from '../load/messages.ts';
import { figuresOf, withCpu } from '../measure/loaded.ts';
import { interleave } from '../measure/rounds.ts';
import type { Bench } from '../part.ts';

export const connections = 32;
/** The name of the other checkout's build. */
export const beside = 'botyard beside';

/** A measured server that answers `GET`. */
export interface Reader {
  name: string;
  port: number;
  pids: Groups;
  targets(): Promise<readonly Target[]>;
}

export const closedLoop = (count: number, seconds: number) => ({
  kind: 'closed' as const,
  connections: count,
  seconds,
  most: 500_000,
});

/** Measures readers in turn: `many` with 32 connections, `alone` with one. */
export async function measureReads(
  { rounds, seconds, say }: Bench,
  load: LoadProcess,
  readers: readonly Reader[],
): Promise<{ series: Series; check: Check }> {
  const series = new Series();
  let [sent, answered] = [0, 0];
  const run = async ({ port, pids, targets }: Reader, loop: Loop) => {
    const requests = { kind: 'get' as const, targets: await targets() };
    const result = await withCpu(pids, () => load.load({ port, requests, loop }));
    sent += result.answered;
    answered += result.ok;
    return result;
  };
  for (const reader of readers) await run(reader, closedLoop(connections, 2));
  await interleave(readers, rounds, async (reader, round) => {
    say(`round ${round + 1}/${rounds}: ${reader.name}`);
    const many = await run(reader, closedLoop(connections, seconds));
    const alone = await run(reader, closedLoop(1, Math.min(seconds, 2)));
    series.add(reader.name, { ...figuresOf('many', many), ...figuresOf('alone', alone) });
  });
  return { series, check: check('answers with 200', sent, answered) };
}

export const latencyColumns = [
  ['1/s', 'manyPerSecond'],
  ['p50 ms', 'manyP50Ms'],
  ['p99 ms', 'manyP99Ms'],
  ['p50 alone', 'aloneP50Ms'],
  ['p99 alone', 'aloneP99Ms'],
] as const;
