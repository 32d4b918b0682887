import { setTimeout as pause } from 'node:timers/promises';
import { placeOf, type Trouble, told } from './plan.ts';
import type { Troubles } from './troubles.ts';

interface Step {
  atMs: number;
  trouble: Trouble;
  isBegin: boolean;
}

/**
 * Carries out a plan at its times. Resolves when everything has ended; returns the actions and their times, including
 * delays.
 */
export async function perform(troubles: Troubles, plan: readonly Trouble[]): Promise<string[]> {
  const done: string[] = [];
  const beganAt = performance.now();
  const steps = plan
    .flatMap((trouble): Step[] => [
      { atMs: trouble.atMs, trouble, isBegin: true },
      { atMs: trouble.untilMs, trouble, isBegin: false },
    ])
    .sort((a, b) => a.atMs - b.atMs);
  const latest = new Map<string, Promise<void>>();
  const running: Promise<void>[] = [];
  const take = async ({ trouble, isBegin }: Step, earlier: Promise<void> | undefined) => {
    const seconds = () => ((performance.now() - beganAt) / 1000).toFixed(1);
    await earlier;
    if (isBegin) await troubles.begin(trouble);
    else await troubles.end(trouble);
    done.push(`${seconds()} s ${isBegin ? 'begun' : 'over'}: ${told(trouble)}`);
  };
  for (const step of steps) {
    await pause(Math.max(0, step.atMs - (performance.now() - beganAt)));
    // On a busy machine a server may still be starting when it is to be killed again.
    const place = placeOf(step.trouble);
    const taking = take(step, latest.get(place));
    taking.catch(() => undefined);
    latest.set(place, taking);
    running.push(taking);
  }
  // Undo everything that can be undone, even after a failure.
  const failures = (await Promise.allSettled(running)).filter((one) => one.status === 'rejected');
  if (failures.length > 0)
    throw new AggregateError(
      failures.map(({ reason }) => reason),
      done.join('\n'),
    );
  return done;
}
