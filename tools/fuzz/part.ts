import type { Cleanup } from '../bench/cleanup.ts';
import type { Options } from './options.ts';
import type { Progress } from './progress.ts';

/** What broke a promise, with what it takes to see it again. */
export interface Violation {
  promise: string;
  what: string;
  /** The shortest way to it that was found, one line for each step. */
  steps: readonly string[];
}

export interface PartResult {
  figures: readonly (readonly [what: string, figure: string])[];
  violations: readonly Violation[];
}

export interface PartContext {
  options: Options;
  cleanup: Cleanup;
  progress: Progress;
}

/** Starts what it attacks, attacks it, and tells what it saw; what it started is stopped by `cleanup`. */
export type Part = (context: PartContext) => Promise<PartResult>;
