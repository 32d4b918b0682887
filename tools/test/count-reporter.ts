import type { Reporter, SerializedError, TestModule } from 'vitest/node';

const listedFiles = 10;

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/** How long a file took, from its import to the end of its last hook. */
export interface FileTime {
  path: string;
  seconds: number;
}

/**
 * Ends the output with the slowest files, the time of all and one line that counts the tests, after whatever else is
 * printed.
 */
export default class CountReporter implements Reporter {
  onInit(): void {
    process.once('exit', () => process.stdout.write(this.#lines()));
  }

  #counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  #times: FileTime[] = [];

  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    this.#counts = countTests(modules, errors.length);
    this.#times = modules.map(timeOf);
  }

  #lines(): string {
    const startedAt = Number(process.env.BOTYARD_TEST_STARTED_AT);
    const total = startedAt ? `total ${((Date.now() - startedAt) / 1000).toFixed(1)} s\n` : '';
    return `${slowestFiles(this.#times)}${total}${countLine(this.#counts)}\n`;
  }
}

/** A line for each of the ten files that took longest, the slowest first; nothing when there is but one file. */
export function slowestFiles(times: readonly FileTime[]): string {
  if (times.length < 2) return '';
  const slowest = times.toSorted((a, b) => b.seconds - a.seconds).slice(0, listedFiles);
  const lines = slowest.map(({ path, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${path}\n`);
  return `the slowest files:\n${lines.join('')}`;
}

export function countLine({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

function timeOf(module: TestModule): FileTime {
  const { setupDuration, collectDuration, duration } = module.diagnostic();
  return { path: module.relativeModuleId, seconds: (setupDuration + collectDuration + duration) / 1000 };
}

/** A file that can't be loaded, or an error outside every test, counts as a failed test. */
function countTests(modules: readonly TestModule[], strayErrors: number): Counts {
  const counts: Counts = { passed: 0, failed: strayErrors, skipped: 0 };
  for (const module of modules) {
    const before = counts.failed;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      if (state !== 'pending') counts[state] += 1;
    }
    if (module.state() === 'failed' && counts.failed === before) counts.failed += 1;
  }
  return counts;
}
