/** `npm run fuzz`: random calls, request targets and deliveries against what holds whatever comes. Exit code 1 when something doesn't. */
import { Cleanup } from '../bench/cleanup.ts';
import { type Options, type PartName, readOptions } from './options.ts';
import type { PartResult } from './part.ts';
import { parts } from './parts.ts';
import { Progress } from './progress.ts';
import { printReport } from './report.ts';

const cleanup = new Cleanup();

async function main(options: Options): Promise<void> {
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
      console.error(`${signal}: stopping everything; once more to leave at once`);
      void cleanup.end().finally(() => process.exit(130));
    });
  }
}

function optionsOrExit(): Options {
  try {
    return readOptions(process.argv.slice(2));
  } catch (error) {
    console.error((error as Error).message);
    process.exit(2);
  }
}

const options = optionsOrExit();
stopOnSignals();
try {
  await main(options);
} catch (error) {
  if (!cleanup.isEnding) console.error(`fuzz: ${(error as Error).stack ?? String(error)}`);
  process.exitCode = 1;
} finally {
  await cleanup.run();
}
