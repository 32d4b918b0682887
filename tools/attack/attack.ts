import type { Installation, Origins } from './installation.ts';

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

/** Something else that the other tenant does meanwhile, at intervals. */
export interface Habit {
  /** In the plural. */
  name: string;
  everyMs: number;
  /** @throws if it is refused or fails otherwise. */
  perform(): Promise<void>;
}

/** One file in `cases/`, listed in `cases.ts`. */
export interface Case {
  about: string;
  /** Whether the same load can come from a hundred origins, for comparison. */
  canSpread: boolean;
  /** The most memory in MiB that services may take meanwhile. */
  maxMib?: Readonly<Record<string, number>>;
  habit?(installation: Installation): Promise<Habit>;
  begin(installation: Installation, origins: Origins): Promise<Attack>;
}

/** @throws for any other status. */
export async function askFor200(url: string, request: RequestInit): Promise<void> {
  const response = await fetch(url, request);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status} ${text.slice(0, 200)}`);
}

/** The item for this number; the items are used in turn. */
export const inTurn = <Item>(items: readonly Item[], number: number): Item => items[number % items.length]!;

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

export const isAtLeast = (what: string, least: number, found: number): Check => ({
  what,
  expected: `at least ${least}`,
  found: String(found),
  isRight: found >= least,
});
