import { readFileSync } from 'node:fs';
import { cpuSeconds, sumOf } from './processes.ts';

const ticksPerSecond = 100;

/**
 * Returns a function that tells the share of all processors used by other processes, 0 to 1, from now until its call.
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

/** Seconds of all processors together since the machine began. */
function readMachine(): { seconds: number; busySeconds: number } {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
  const ticks = line.split(/\s+/).slice(1, 9).map(Number);
  const all = ticks.reduce((sum, value) => sum + value, 0);
  const [, , , idle = 0, waitsForDisk = 0] = ticks;
  return { seconds: all / ticksPerSecond, busySeconds: (all - idle - waitsForDisk) / ticksPerSecond };
}
