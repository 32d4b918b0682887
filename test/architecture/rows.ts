import { placeIn, serviceSources, sharedSources } from '../support/sources.ts';
import type { Check } from './check.ts';

/** A type beside the text of a statement (docs/decisions/0067-row-types.md). */
const claimed = /\.(?:query|execute)<|(?<!function )\brunForTenants</g;

export const rowChecks: readonly Check[] = [
  {
    rule: "a row's type follows from its statement: nobody writes one beside `query` or `execute`",
    faults: () =>
      [...serviceSources(), ...sharedSources()].flatMap((file) =>
        [...file.text.matchAll(claimed)].map((match) => placeIn(file, match.index)),
      ),
  },
];
