import type { DiscoveredInstance } from '@botyard/shared/system/questions';
import type { RestartedInstance } from '../../store/restarts-schema.ts';

/** Time limit for a process to return, and for the others to be ready before the next one stops. */
const patienceMs = 60_000;

/** The next action: `ask` names the process that has to stop next. */
export interface Step {
  instances: RestartedInstance[];
  state: 'running' | 'done' | 'failed';
  reason: string | null;
  ask: string | undefined;
}

/**
 * The next step of a round, from the current processes. One process at a time, and only while as many are ready as at
 * the start, so that two are never down together.
 */
export function nextStep(
  before: readonly RestartedInstance[],
  processes: readonly DiscoveredInstance[],
  nowMs: number,
): Step {
  const instances = before.map((instance) => ({ ...instance }));
  const going = { instances, state: 'running', reason: null, ask: undefined } as const;
  for (const instance of instances) {
    if (instance.state === 'restarted') continue;
    const verdict = judge(instance, { processes, wanted: instances.length, nowMs });
    switch (verdict.is) {
      case 'restarted':
        instance.state = 'restarted';
        continue;
      case 'wait':
        return going;
      case 'ask':
        return { ...going, ask: instance.instanceId };
      case 'failed':
        instance.state = 'failed';
        return { ...going, state: 'failed', reason: verdict.reason };
    }
  }
  return { ...going, state: 'done' };
}

type Verdict = { is: 'restarted' | 'wait' | 'ask' } | { is: 'failed'; reason: string };

interface Scene {
  processes: readonly DiscoveredInstance[];
  /** The number of processes at the start. */
  wanted: number;
  nowMs: number;
}

/** Judges the current process, and records the start of its turn. */
function judge(instance: RestartedInstance, { processes, wanted, nowMs }: Scene): Verdict {
  instance.sinceMs ??= nowMs;
  const ready = processes.filter(({ state }) => state === 'ready').length;
  const here = processes.find(({ instanceId }) => instanceId === instance.instanceId);
  const orLate = (reason: string): Verdict =>
    nowMs - (instance.sinceMs ?? nowMs) > patienceMs ? { is: 'failed', reason } : { is: 'wait' };
  // The process in its place is a new one, regardless of the reason why the old one ended.
  if (!here && ready >= wanted) return { is: 'restarted' };
  if (instance.state === 'waiting') {
    if (!here || ready < wanted) return orLate(tooFew(ready, wanted));
    instance.state = 'restarting';
    instance.sinceMs = nowMs;
    return { is: 'ask' };
  }
  if (!here) return orLate(`${tooFew(ready, wanted)}: it did not start again`);
  const late = orLate('the process did not stop');
  // Repeated until the process reports that it stops: the sender of the first request may have stopped before.
  return late.is === 'failed' || here.state === 'draining' ? late : { is: 'ask' };
}

const tooFew = (ready: number, wanted: number): string =>
  `only ${ready} of ${wanted} processes are ready after ${patienceMs / 1000} s`;
