import { printTable } from '../rig/table.ts';
import type { PartName } from './options.ts';
import type { PartResult, Violation } from './part.ts';

const shownViolations = 20;

/** The figures of all parts as one table, and the violations below it. */
export function printReport(results: ReadonlyMap<PartName, PartResult>): string {
  const table = {
    title: 'Findings',
    head: ['part', 'what', 'figure'],
    rows: [...results].flatMap(([part, { figures }]) => figures.map((figure) => [part, ...figure])),
    notes: [],
  };
  const violations = [...results].flatMap(([part, result]) =>
    result.violations.slice(0, shownViolations).map((violation) => printViolation(part, violation)),
  );
  return [printTable(table), ...violations].join('\n');
}

function printViolation(part: PartName, { promise, what, steps }: Violation): string {
  const numbered = steps.map((step, index) => `    ${index + 1}. ${step}`);
  return [`\n${part}: VIOLATED: ${promise}`, `  ${what}`, ...numbered].join('\n');
}
