import { readFileSync } from 'node:fs';
import { cpuSeconds, sumOf } from '../../rig/processes.ts';

const ticksPerSecond = 100;

/**
 * Starts to measure the use of all processors by other processes. The returned function reports their share, from 0 to
 * 1.
 */
export function watchOtherWork(): () => number {
  const own = () => sumOf(cpuSeconds({ own: process.pid }));
  const before = { ...readMachine(), own: own() };
  return () => {
    const now = readMachine();
    const passed = now.seconds - before.seconds;
    const others = now.busySeconds - before.busySeconds - (own() - before.own);
    return passed > 0 ? Math.min(1, Math.max(0, others / passed)) : 0;
  };
}

/** Returns the seconds of all processors since the machine started. */
function readMachine(): { seconds: number; busySeconds: number } {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
  const ticks = line.split(/\s+/).slice(1, 9).map(Number);
  const all = ticks.reduce((sum, value) => sum + value, 0);
  const [, , , idle = 0, waitsForDisk = 0] = ticks;
  return { seconds: all / ticksPerSecond, busySeconds: (all - idle - waitsForDisk) / ticksPerSecond };
}
