import type { Reporter, SerializedError, TestModule } from 'vitest/node';

const listedFiles = 10;

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/** The duration of a file, from its import to the end of its last hook. */
export interface FileTime {
  path: string;
  seconds: number;
}

/**
 * Prints the slowest files, the total time and one line with the test counts at the very end of the output.
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

/** Returns a line for each of the ten slowest files, the slowest first. Returns nothing for a single file. */
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

/** Counts the tests. A file that can't be loaded and an error outside of tests each count as a failed test. */
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
