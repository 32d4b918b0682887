import type { DiscoveredInstance } from '@botyard/shared/system/questions';
import type { RestartedInstance } from '../../store/schema.ts';

/** How long one waits for a process to be back, and for the others to be ready before the next one goes. */
const patienceMs = 60_000;

/** What is to be done now: `ask` names the process that ends itself next. */
export interface Step {
  instances: RestartedInstance[];
  state: 'running' | 'done' | 'failed';
  reason: string | null;
  ask: string | undefined;
}

/**
 * The next step of a round, from what is there now. One process at a time, and none before as many are ready as there
 * were at the start: those that go and those that come never overlap with a second one that is away.
 */
export function nextStep(
  before: readonly RestartedInstance[],
  found: readonly DiscoveredInstance[],
  nowMs: number,
): Step {
  const instances = before.map((instance) => ({ ...instance }));
  const going = { instances, state: 'running', reason: null, ask: undefined } as const;
  for (const instance of instances) {
    if (instance.state === 'restarted') continue;
    const verdict = judge(instance, { found, wanted: instances.length, nowMs });
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
  found: readonly DiscoveredInstance[];
  /** How many there were at the start. */
  wanted: number;
  nowMs: number;
}

/** Of the one whose turn it is; remembers since when it has its turn. */
function judge(instance: RestartedInstance, { found, wanted, nowMs }: Scene): Verdict {
  instance.sinceMs ??= nowMs;
  const ready = found.filter(({ state }) => state === 'ready').length;
  const here = found.find(({ instanceId }) => instanceId === instance.instanceId);
  const orLate = (reason: string): Verdict =>
    nowMs - (instance.sinceMs ?? nowMs) > patienceMs ? { is: 'failed', reason } : { is: 'wait' };
  // Whoever has ended it: what is in its place is new.
  if (!here && ready >= wanted) return { is: 'restarted' };
  if (instance.state === 'waiting') {
    if (!here || ready < wanted) return orLate(tooFew(ready, wanted));
    instance.state = 'restarting';
    instance.sinceMs = nowMs;
    return { is: 'ask' };
  }
  if (!here) return orLate(`${tooFew(ready, wanted)}: it did not come back`);
  const late = orLate('the process did not end itself');
  // Asked again until it says that it ends: the one who asked first may have been ended before.
  return late.is === 'failed' || here.state === 'draining' ? late : { is: 'ask' };
}

const tooFew = (ready: number, wanted: number): string =>
  `only ${ready} of ${wanted} processes are ready after ${patienceMs / 1000} s`;
