import { type Cleanup, runTool } from '../rig/cleanup.ts';
import type { Options, PartName } from './options.ts';
import type { PartResult } from './part.ts';
import { parts } from './parts.ts';
import { Progress } from './progress.ts';
import { printReport } from './report.ts';

/** Runs the parts and prints their findings. The exit code is 1 if a promise was broken. */
export async function runFuzz(options: Options): Promise<void> {
  await runTool('fuzz', (cleanup) => attack(options, cleanup));
}

async function attack(options: Options, cleanup: Cleanup): Promise<boolean> {
  console.log(`seed ${options.seed}: repeat with --seed ${options.seed}`);
  const results = new Map<PartName, PartResult>();
  for (const name of options.parts) {
    const progress = new Progress(name, { minutes: options.minutes, write: (line) => console.error(line) });
    results.set(name, await parts[name]({ options, cleanup, progress }));
    await cleanup.run();
  }
  console.log(printReport(results));
  const count = [...results.values()].reduce((sum, { violations }) => sum + violations.length, 0);
  console.log(`\n${count} violations`);
  return count === 0;
}
