import type { Schema } from '@botyard/client/client';

export type Outcome = NonNullable<Schema<'Chat'>['outcomes']>[number];

/** The outcomes of sessions, in the order in which they are shown, with their words. */
export const outcomeWords: Readonly<Record<Outcome, string>> = {
  resolved: 'Resolved',
  handed_over: 'Handed over',
  given_up: 'Given up',
  stopped: 'Stopped',
  repeated: 'Asked again',
  failed: 'Failed',
  rated_up: 'Rated up',
  rated_down: 'Rated down',
};

export const outcomeOptions = Object.entries(outcomeWords) as (readonly [Outcome, string])[];

/** An outcome of an address; undefined for another word. */
export const outcomeOf = (word: string | undefined): Outcome | undefined =>
  outcomeOptions.find(([outcome]) => outcome === word)?.[0];
