import type { Cleanup } from '../rig/cleanup.ts';
import type { Check, Table } from '../rig/table.ts';
import type { Options } from './options.ts';
import type { Aim } from './report/aims.ts';

/** The input of a part of the benchmark. */
export interface Bench extends Pick<Options, 'rounds' | 'seconds' | 'beside'> {
  /** A directory for this part on a real disk. It is removed afterwards. */
  dir: string;
  /** The folder for CPU profiles, if they are requested. */
  profileDir: string | undefined;
  cleanup: Cleanup;
  /** Shows the progress. */
  say(line: string): void;
}

export interface PartResult {
  tables: Table[];
  /** Checks that the timed work was done correctly. */
  checks: Check[];
  /** The project's aims for this part, with their results. */
  aims?: Aim[];
  /** All values of all rounds, for the JSON file. */
  rounds: unknown;
}

export type Part = (bench: Bench) => Promise<PartResult>;

/** Settings that make Node write a CPU profile when the process ends. */
export const profileEnv = ({ profileDir }: Pick<Bench, 'profileDir'>): Record<string, string> =>
  profileDir ? { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profileDir}` } : {};
