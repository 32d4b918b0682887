import type { Reporter, SerializedError, TestModule } from 'vitest/node';

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/** Ends the output with one line that counts the tests, after whatever else is printed. */
export default class CountReporter implements Reporter {
  onInit(): void {
    process.once('exit', () => process.stdout.write(this.#lines()));
  }

  #counts: Counts = { passed: 0, failed: 0, skipped: 0 };

  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    this.#counts = countTests(modules, errors.length);
  }

  #lines(): string {
    const startedAt = Number(process.env.BOTYARD_TEST_STARTED_AT);
    const total = startedAt ? `total ${((Date.now() - startedAt) / 1000).toFixed(1)} s\n` : '';
    return `${total}${countLine(this.#counts)}\n`;
  }
}

export function countLine({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
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
