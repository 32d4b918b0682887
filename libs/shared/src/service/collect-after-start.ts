import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const lookEveryMs = 500;
/** Utilization of the event loop below which the process is idle. */
const atRest = 0.1;

/**
 * Frees the memory that the start has left behind, a quarter of the process's memory. V8 collects it only when it
 * needs room, which an idle process never does. Runs once while the process is idle, because it takes some tenths of
 * a second.
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

/** `last-resort` also drops what can be recreated: compiled code and room for new objects. */
function collectEverything(): void {
  setFlagsFromString('--expose-gc');
  const collect: NodeJS.GCFunction = runInNewContext('gc');
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
