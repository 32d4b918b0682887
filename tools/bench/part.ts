import type { Cleanup } from './cleanup.ts';
import type { Aim } from './report/aims.ts';
import type { Chart } from './report/chart.ts';
import type { Check, Table } from './report/table.ts';

/** The input of a part of the benchmark. */
export interface Bench {
  rounds: number;
  seconds: number;
  messages: number;
  minutes: number;
  /** The load of the part `many-at-once`, in percent of the usual requests and messages. */
  percent: number;
  /** A directory for this part on a real disk. It is removed afterwards. */
  dir: string;
  /** The folder for CPU profiles, if they are requested. */
  profileDir: string | undefined;
  /** The folder of another checkout to measure in the same rounds. */
  beside: string | undefined;
  /** True to omit third-party software. */
  isOwnOnly: boolean;
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
  charts?: Chart[];
  /** All values of all rounds, for the JSON file. */
  rounds: unknown;
}

export type Part = (bench: Bench) => Promise<PartResult>;

/** Settings that make Node write a CPU profile when the process ends. */
export const profileEnv = ({ profileDir }: Pick<Bench, 'profileDir'>): Record<string, string> =>
  profileDir ? { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profileDir}` } : {};
