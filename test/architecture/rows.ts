import { placeIn, serviceSources, sharedSources } from '../support/sources.ts';
import type { Check } from './check.ts';

/** A type beside the text of a statement (docs/decisions/0067-row-types.md). */
const claimed = /\.(?:query|execute)</g;
/** The place of a sixth value, or a later one. */
const sixthValue = /\$(?:[6-9]|[1-9]\d)\b/g;

const foundBy = (pattern: RegExp): string[] =>
  [...serviceSources(), ...sharedSources()].flatMap((file) =>
    [...file.text.matchAll(pattern)].map((match) => placeIn(file, match.index)),
  );

export const rowChecks: readonly Check[] = [
  {
    rule: "a row's type follows from its statement: none is written beside `query` or `execute`",
    faults: () => foundBy(claimed),
  },
  {
    rule: 'more than five values have names: write `$botId` and give `values` as an object (docs/decisions/0067-row-types.md)',
    faults: () => foundBy(sixthValue),
  },
];
