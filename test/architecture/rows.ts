import { placeIn, type SourceFile, serviceSources, sharedSources } from '../support/sources.ts';
import type { Check } from './check.ts';

/** Folders whose statements don't tell their rows by `typedSql` yet (docs/decisions/0067-row-types.md). The list only shrinks. */
const open: readonly string[] = [
  'libs/shared/src/work',
];

/** A type beside the text of a statement. */
const claimed = /\.(?:query|execute)<|(?<!function )\brunForTenants</g;

const claimsIn = (file: SourceFile): string[] =>
  [...file.text.matchAll(claimed)].map((match) => placeIn(file, match.index));
const sources = () => [...serviceSources(), ...sharedSources()];
const isIn = (folder: string) => (file: SourceFile) => file.path.startsWith(`${folder}/`);

export const rowChecks: readonly Check[] = [
  {
    rule: "a row's type follows from its statement: nobody writes one beside `query` or `execute`",
    faults: () =>
      sources()
        .filter((file) => !open.some((folder) => isIn(folder)(file)))
        .flatMap(claimsIn),
  },
  {
    rule: 'a folder in which every row has its type from its statement is off the list of those that are still open',
    faults: () => open.filter((folder) => sources().filter(isIn(folder)).flatMap(claimsIn).length === 0),
  },
];
