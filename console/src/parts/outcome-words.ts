import type { Schema } from '@botyard/client/client';
import { outcomeWords } from '@botyard/contracts/outcome-words';

export type Outcome = NonNullable<Schema<'Chat'>['outcomes']>[number];

/** The outcomes of sessions with their labels, in the order in which they are shown. */
export const outcomeOptions = Object.entries(outcomeWords).map(
  ([outcome, { label }]) => [outcome as Outcome, label] as const,
);

/** An outcome of an address; undefined for another word. */
export const outcomeOf = (word: string | undefined): Outcome | undefined =>
  outcomeOptions.find(([outcome]) => outcome === word)?.[0];
