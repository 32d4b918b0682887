import type { Cleanup } from './cleanup.ts';
import type { Aim } from './report/aims.ts';
import type { Chart } from './report/chart.ts';
import type { Check, Table } from './report/table.ts';

/** What a part of the benchmark is given. */
export interface Bench {
  rounds: number;
  seconds: number;
  messages: number;
  minutes: number;
  /** A directory of this part's own on a real disk; it is removed afterwards. */
  dir: string;
  /** Set when CPU profiles are wanted: where they go. */
  profileDir: string | undefined;
  /** Folder of another checkout, to be measured in the same rounds. */
  beside: string | undefined;
  /** Leaves out what others built. */
  isOwnOnly: boolean;
  cleanup: Cleanup;
  /** Shows what is going on. */
  say(line: string): void;
}

export interface PartResult {
  tables: Table[];
  /** Whether the work that was timed was done right. */
  checks: Check[];
  /** What the project wants to reach here, and whether it did. */
  aims?: Aim[];
  charts?: Chart[];
  /** Every value of every round, for the JSON file. */
  rounds: unknown;
}

export type Part = (bench: Bench) => Promise<PartResult>;

/** Settings that make Node write a CPU profile when the process ends. */
export const profileEnv = ({ profileDir }: Pick<Bench, 'profileDir'>): Record<string, string> =>
  profileDir ? { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profileDir}` } : {};
