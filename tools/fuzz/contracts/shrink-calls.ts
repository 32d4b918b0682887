import type { Installation } from '../../rig/installation.ts';
import type { Violation } from '../part.ts';
import { shrink } from '../shrink.ts';
import { createFixture } from './fixture/fixture.ts';
import { type Breach, promises } from './judge/judge.ts';
import { type PlannedCall, refsIn } from './planned-call.ts';
import { type Played, playBatch } from './play.ts';

const withinMs = 30_000;
/** How many calls back to search if the call's references don't suffice to reproduce the fault. */
const reaches = [20, 200];

export interface Found {
  played: Played;
  breach: Breach;
}

/**
 * Finds the shortest sequence of calls that breaks the same promise by the same route. It is replayed in new worlds.
 */
export async function shrinkCalls(
  installation: Installation,
  { played, breach }: Found,
  history: readonly PlannedCall[],
): Promise<Violation> {
  const { plan } = played;
  const breaks = async (calls: readonly PlannedCall[]) =>
    (await replay(installation, calls, { plan, breach })) !== undefined;
  const before = history.filter(({ number }) => number <= plan.number);
  const needed = closure(before, plan);
  const candidates = [needed, ...reaches.map((reach) => merge(needed, before.slice(-reach)))];
  for (const candidate of candidates) {
    if (!(await breaks(candidate))) continue;
    const shortest = await shrink(candidate, breaks, { withinMs });
    const lines = await replay(installation, shortest, { plan, breach });
    return { ...violationOf({ played, breach }), steps: lines ?? shortest.map(({ route }) => route) };
  }
  const steps = [played.line, 'it did not recur: repeat the run with its seed'];
  return { ...violationOf({ played, breach }), steps };
}

/** Reports the observed fault with only its own call. */
export const violationOf = ({ played, breach }: Found): Violation => ({
  promise: promises[breach.promised],
  what: `${played.plan.route}: ${breach.what}`,
  steps: [played.line],
});

/** Returns a call and all calls to which it refers, directly or indirectly. */
function closure(history: readonly PlannedCall[], plan: PlannedCall): PlannedCall[] {
  const wanted = new Set([plan.number]);
  return history
    .toReversed()
    .filter((call) => {
      if (!wanted.has(call.number)) return false;
      for (const key of refsIn([call.path, call.query, call.body])) wanted.add(Number(key.split(':')[0]));
      return true;
    })
    .reverse();
}

function merge(left: readonly PlannedCall[], right: readonly PlannedCall[]): PlannedCall[] {
  const all = new Map([...left, ...right].map((call) => [call.number, call]));
  return [...all.values()].sort((one, other) => one.number - other.number);
}

/** Replays calls. Returns the lines up to the fault, or `undefined` if it doesn't recur. */
async function replay(
  installation: Installation,
  calls: readonly PlannedCall[],
  { plan, breach }: { plan: PlannedCall; breach: Breach },
): Promise<string[] | undefined> {
  const fixture = await createFixture(installation);
  const lines: string[] = [];
  for (const batch of batchesOf(calls)) {
    const played = await playBatch(fixture, batch);
    lines.push(...played.map(({ line }) => line));
    const isSame = ({ plan: { route }, breaches }: Played) =>
      route === plan.route && breaches.some(({ promised }) => promised === breach.promised);
    if (played.some(isSame)) return lines;
  }
  return undefined;
}

function batchesOf(calls: readonly PlannedCall[]): PlannedCall[][] {
  return [...Map.groupBy(calls, ({ batch }) => batch).values()];
}
