import type { Installation } from '../rig/installation.ts';
import type { Violation } from './part.ts';

/** Returns a violation for each process that has been replaced since the start. */
export async function endedProcesses(
  { system }: Installation,
  before: Readonly<Record<string, number>>,
): Promise<Violation[]> {
  const now = await system.pids();
  return Object.entries(before)
    .filter(([name, pid]) => now[name] !== pid)
    .map(([name]) => ({ promise: 'no process ends', what: `${name} ended`, steps: [] }));
}
