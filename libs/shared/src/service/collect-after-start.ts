import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const lookEveryMs = 500;
/** Part of the time that the event loop works; with less the process is at rest. */
const atRest = 0.1;

/**
 * Gives back what starting has left behind, a quarter of what a process holds: V8 collects it when it needs room, which
 * a process at rest never does. Done once, when nobody waits for it, because it takes some tenths of a second.
 */
export function collectAfterStart(): void {
  let before = performance.eventLoopUtilization();
  const look = setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    if (utilization > atRest) return;
    clearInterval(look);
    collectEverything();
  }, lookEveryMs).unref();
}

/** `last-resort` gives up what can be made again, too: compiled code and room for new objects. */
function collectEverything(): void {
  setFlagsFromString('--expose-gc');
  const collect: NodeJS.GCFunction = runInNewContext('gc');
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
