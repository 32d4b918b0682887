import type { Installation } from './installation.ts';

/** A count that has to be right, whatever the machine does meanwhile. */
export interface Check {
  what: string;
  expected: string;
  found: string;
  isRight: boolean;
}

/** An attack in progress. */
export interface Attack {
  /** Ends all its requests. */
  stop(): Promise<void>;
  /** Checks of the attacker's answers, once the attack has been stopped. */
  checks(): Check[];
}

/** One file in `cases/`, listed in `cases.ts`. */
export interface Case {
  about: string;
  begin(installation: Installation): Promise<Attack>;
}

export const equals = (what: string, expected: number, found: number): Check => ({
  what,
  expected: String(expected),
  found: String(found),
  isRight: expected === found,
});

export const isAtMost = (what: string, most: number, found: number): Check => ({
  what,
  expected: `at most ${most}`,
  found: String(found),
  isRight: found <= most,
});
