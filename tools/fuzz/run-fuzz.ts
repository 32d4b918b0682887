import { Cleanup } from '../bench/cleanup.ts';
import type { Options, PartName } from './options.ts';
import type { PartResult } from './part.ts';
import { parts } from './parts.ts';
import { Progress } from './progress.ts';
import { printReport } from './report.ts';

const cleanup = new Cleanup();

/** Runs the parts and prints their findings. The exit code is 1 if a promise was broken. */
export async function runFuzz(options: Options): Promise<void> {
  stopOnSignals();
  try {
    await attack(options);
  } catch (error) {
    if (!cleanup.isEnding) console.error(`fuzz: ${(error as Error).stack ?? String(error)}`);
    process.exitCode = 1;
  } finally {
    await cleanup.run();
  }
}

async function attack(options: Options): Promise<void> {
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
  if (count > 0) process.exitCode = 1;
}

function stopOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (cleanup.isEnding) process.exit(1);
      console.error(`${signal}: stopping all processes; press Ctrl-C again to exit immediately`);
      void cleanup.end().finally(() => process.exit(130));
    });
  }
}
