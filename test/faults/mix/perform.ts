import { setTimeout as pause } from 'node:timers/promises';
import type { FaultInjector } from './fault-injector.ts';
import { describeFault, type PlannedFault, placeOf } from './plan.ts';

interface Step {
  atMs: number;
  fault: PlannedFault;
  isBegin: boolean;
}

/**
 * Carries out a plan at its times. Resolves when everything has ended; returns the actions and their times, including
 * delays.
 */
export async function perform(injector: FaultInjector, plan: readonly PlannedFault[]): Promise<string[]> {
  const done: string[] = [];
  const beganAt = performance.now();
  const steps = plan
    .flatMap((fault): Step[] => [
      { atMs: fault.atMs, fault, isBegin: true },
      { atMs: fault.untilMs, fault, isBegin: false },
    ])
    .sort((a, b) => a.atMs - b.atMs);
  const latest = new Map<string, Promise<void>>();
  const running: Promise<void>[] = [];
  const take = async ({ fault, isBegin }: Step, earlier: Promise<void> | undefined) => {
    const seconds = () => ((performance.now() - beganAt) / 1000).toFixed(1);
    await earlier;
    if (isBegin) await injector.begin(fault);
    else await injector.end(fault);
    done.push(`${seconds()} s ${isBegin ? 'begun' : 'over'}: ${describeFault(fault)}`);
  };
  for (const step of steps) {
    await pause(Math.max(0, step.atMs - (performance.now() - beganAt)));
    // On a busy machine a server may still be starting when it is to be killed again.
    const place = placeOf(step.fault);
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
