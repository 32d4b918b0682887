import type { Cleanup } from './cleanup.ts';
import type { Aim } from './report/aims.ts';
import type { Chart } from './report/chart.ts';
import type { Check, Table } from './report/table.ts';

/** Input of a part of the benchmark. */
export interface Bench {
  rounds: number;
  seconds: number;
  messages: number;
  minutes: number;
  /** For the part `many-at-once`: how much of its requests and messages come. */
  percent: number;
  /** A directory of this part's own on a real disk; it is removed afterwards. */
  dir: string;
  /** Folder for CPU profiles, if they are wanted. */
  profileDir: string | undefined;
  /** Folder of another checkout, to be measured in the same rounds. */
  beside: string | undefined;
  /** Leaves out others' software. */
  isOwnOnly: boolean;
  cleanup: Cleanup;
  /** Shows the progress. */
  say(line: string): void;
}

export interface PartResult {
  tables: Table[];
  /** Whether the timed work was done correctly. */
  checks: Check[];
  /** The project's aims here, and whether they were reached. */
  aims?: Aim[];
  charts?: Chart[];
  /** Every value of every round, for the JSON file. */
  rounds: unknown;
}

export type Part = (bench: Bench) => Promise<PartResult>;

/** Settings that make Node write a CPU profile when the process ends. */
export const profileEnv = ({ profileDir }: Pick<Bench, 'profileDir'>): Record<string, string> =>
  profileDir ? { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profileDir}` } : {};
