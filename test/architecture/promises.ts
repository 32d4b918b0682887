import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readText, root } from '../support/sources.ts';
import type { Check } from './check.ts';

const page = 'docs/reliability.md';

/** `range('P', 1, 3)` is `P1`, `P2`, `P3`; of cases it is `F-01`, `F-02` and so on. */
const promises = [...Array.from({ length: 22 }, (_, index) => `P${index + 1}`)].filter(
  (id) => id !== 'P12' && id !== 'P16',
);
const numbered = (letter: string, numbers: string) =>
  numbers.split(' ').map((number) => `${letter}-${number}`);
const cases = [
  ...numbered('F', '01 02 03 04 05 08 10 11 14 25 28 29 40 41'),
  ...numbered('F', '30 31 44 45 46'),
  ...numbered('F', '42 43'),
  ...numbered('N', '01 02 03 04 05 06 07 08 09 10 11 12'),
  ...numbered('F', '60 61 62 63 64 66 67 68 69 70 71 72 73 74 75 76 77 78 79 80 81 82 83'),
  ...numbered('O', '01 04 08 09 12'),
  ...numbered('W', '01 03 04 05 06 08 09 12 13 20 21 22'),
  ...numbered('G', '01 02 04 13 15'),
  ...numbered('J', '01 02 03 04 05 06 07 08 09 10 11'),
  ...numbered('I', '01 03 06 08 09 10 14 15 16'),
  ...numbered('S', '01 02 03 05 11 12'),
  ...numbered('C', '01 02 03'),
  ...numbered('A', '01'),
  ...numbered('L', '01 02 03'),
  ...numbered('T', '01 02 03 04 05 06 07'),
  ...numbered('D', '01 02 04'),
];

/** A section of a promise, or an entry of a case, with the files that it links. */
interface Row {
  id: string;
  text: string;
  links: string[];
}

function rows(): Row[] {
  const promised = readText(page).matchAll(/^### (P\d+): (.*?)(?=^##)/gms);
  const tried = readText(page).matchAll(/^- \*\*([A-Z]-\d+)\*\* (.*?)(?=^- |^$)/gms);
  return [...promised, ...tried].map(([, id = '', text = '']) => ({
    id,
    text,
    links: [...text.matchAll(/\]\((?:\.\.\/)?([^)#]+)\)/g)].map(([, target = '']) => target),
  }));
}

/** Whether a test's name begins with the case, as opposed to a place where its figure is printed. */
function names(path: string, id: string): boolean {
  const begins = new RegExp(`['"\`]${id}: `);
  return readText(path)
    .split('\n')
    .some((line) => begins.test(line) && !/\b(write|tell|verdict|console\.log)\(/.test(line));
}

const isTest = (path: string): boolean => path.endsWith('.test.ts');

function faultsOfTests({ id, text, links }: Row): string[] {
  const absent = links.filter(
    (path) => !existsSync(join(root, path)) && !existsSync(join(root, 'docs', path)),
  );
  if (absent.length > 0) return absent.map((path) => `${page}: ${id} names ${path}, which is not there`);
  const tests = links.filter(isTest);
  if (tests.length === 0 && !text.includes('not tested')) return [`${page}: ${id} names no test`];
  return tests
    .filter((path) => !names(path, id))
    .map((path) => `${page}: no test of ${path} has a name that begins with ${id}`);
}

/** The page says how each promise is kept, and where each case is tried. */
export const promiseChecks: readonly Check[] = [
  {
    rule: 'every promise and every case is on the page of promises, once',
    faults: () => {
      const listedIds = rows().map(({ id }) => id);
      const wanted = [...promises, ...cases];
      return [
        ...wanted.filter((id) => !listedIds.includes(id)).map((id) => `${page}: ${id} is missing`),
        ...listedIds
          .filter((id, index) => listedIds.indexOf(id) !== index)
          .map((id) => `${page}: ${id} is there twice`),
        ...listedIds.filter((id) => !wanted.includes(id)).map((id) => `${page}: nobody knows ${id}`),
      ];
    },
  },
  {
    rule: 'a case of that page links tests whose names begin with it',
    faults: () =>
      rows()
        .filter(({ id }) => cases.includes(id))
        .flatMap(faultsOfTests),
  },
  {
    rule: 'a promise of that page names cases of it, tests of its own, or the command that measures it',
    faults: () =>
      rows()
        .filter(({ id }) => promises.includes(id))
        .flatMap((row) => {
          const named = [...row.text.matchAll(/\b[FNOWGJISDT]-\d\d\b/g)].map(([id]) => id);
          const unknown = named.filter((id) => !cases.includes(id));
          if (unknown.length > 0) return [`${page}: ${row.id} names ${unknown.join()}`];
          const isNamed = named.length > 0 || row.text.includes('npm run ');
          return isNamed && !row.links.some(isTest) ? [] : faultsOfTests(row);
        }),
  },
];
