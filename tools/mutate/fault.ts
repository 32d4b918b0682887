/** A plausible fault in the code, and the test that must detect it. Paths are relative to the root. */
export interface Fault {
  name: string;
  file: string;
  /** The text to replace. It occurs exactly once in the file. */
  find: string;
  replaceWith: string;
  noticedBy: string;
}

type Change = readonly [name: string, find: string, replaceWith: string];

/** Returns the faults of one file that one test must detect. */
export const faultsOf = (file: string, noticedBy: string, changes: readonly Change[]): Fault[] =>
  changes.map(([name, find, replaceWith]) => ({ name, file, find, replaceWith, noticedBy }));
