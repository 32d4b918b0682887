/** A plausible fault in the code, and the test that has to notice it. Paths are relative to the root. */
export interface Fault {
  name: string;
  file: string;
  /** Occurs once in the file. */
  find: string;
  replaceWith: string;
  noticedBy: string;
}

type Change = readonly [name: string, find: string, replaceWith: string];

/** Faults of one file that one test notices. */
export const faultsOf = (file: string, noticedBy: string, changes: readonly Change[]): Fault[] =>
  changes.map(([name, find, replaceWith]) => ({ name, file, find, replaceWith, noticedBy }));
