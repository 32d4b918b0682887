import { allCode, fileAt, filesAt, placeIn, type SourceFile } from '../support/sources.ts';
import type { Check } from './check.ts';

const page = 'docs/requirements.md';
const citing = () => [
  ...allCode(),
  ...filesAt(/^(docs|services|libs|tools|test)\/.*\.md$/).filter(({ path }) => path !== page),
];
const defined = (): Set<string> =>
  new Set([...fileAt(page).text.matchAll(/^- \*\*(REQ-[A-Z]+-\d+)\*\*/gm)].map(([, id = '']) => id));
const citations = (file: SourceFile): { id: string; place: string }[] =>
  [...file.text.matchAll(/\bREQ-[A-Z]+-\d+/g)].map((match) => ({
    id: match[0],
    place: placeIn(file, match.index),
  }));

/** Documents that readers of the repository don't have. */
const foreign =
  /\b(?:decisions|protocols|specification),? (?:section )?\d|\bP[01] \d|\breliability, rule|\bissue \d/gi;

/** Everything that comments and tests cite has to be in the repository. */
export const requirementChecks: readonly Check[] = [
  {
    rule: 'a requirement that is cited is on the page of requirements',
    faults: () => {
      const definedIds = defined();
      return citing()
        .flatMap(citations)
        .filter(({ id }) => !definedIds.has(id))
        .map(({ id, place }) => `${place}: ${id} is not in ${page}`);
    },
  },
  {
    rule: 'a requirement is cited where it is met',
    faults: () => {
      const cited = new Set(
        citing()
          .flatMap(citations)
          .map(({ id }) => id),
      );
      return [...defined()].filter((id) => !cited.has(id)).map((id) => `${page}: nothing cites ${id}`);
    },
  },
  {
    rule: 'nothing cites a document that is not in the repository',
    faults: () =>
      citing().flatMap((file) =>
        [...file.text.matchAll(foreign)].map((match) => `${placeIn(file, match.index)}: ${match[0]}`),
      ),
  },
];
