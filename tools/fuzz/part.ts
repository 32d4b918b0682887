import type { Cleanup } from '../rig/cleanup.ts';
import type { Options } from './options.ts';
import type { Progress } from './progress.ts';

/** A broken promise, with the steps to reproduce it. */
export interface Violation {
  promise: string;
  what: string;
  /** The shortest known sequence of steps, one line per step. */
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

/** Starts its target, attacks it and reports the results. `cleanup` stops everything that it started. */
export type Part = (context: PartContext) => Promise<PartResult>;
