import type { PartName } from './options.ts';
import type { PartResult, Violation } from './part.ts';

const shownViolations = 20;

/** The figures of all parts as one table, and the violations below it. */
export function printReport(results: ReadonlyMap<PartName, PartResult>): string {
  const rows = [...results].flatMap(([part, { figures }]) =>
    figures.map(([what, figure]) => [part, what, figure] as const),
  );
  const width = (column: 0 | 1) => Math.max(0, ...rows.map((row) => row[column].length));
  const [partWidth, whatWidth] = [width(0), width(1)];
  const lines = rows.map(
    ([part, what, figure]) => `${part.padEnd(partWidth)}  ${what.padEnd(whatWidth)}  ${figure}`,
  );
  const violations = [...results].flatMap(([part, result]) =>
    result.violations.slice(0, shownViolations).map((violation) => printViolation(part, violation)),
  );
  return [...lines, ...violations].join('\n');
}

function printViolation(part: PartName, { promise, what, steps }: Violation): string {
  const numbered = steps.map((step, index) => `    ${index + 1}. ${step}`);
  return [`\n${part}: VIOLATED: ${promise}`, `  ${what}`, ...numbered].join('\n');
}
