import {
  allCode,
  filesAt,
  librarySources,
  placeIn,
  type SourceFile,
  serviceSources,
  toolSources,
} from '../support/sources.ts';
import type { Check } from './check.ts';

const sources = () => [...serviceSources(), ...librarySources(), ...toolSources()];
const linesOf = ({ text }: SourceFile): number => text.split('\n').length - 1;
const pronounSubject = '(?:Who|Whoever|Whose|Whom|What|Whatever|Nobody|Of)\\b';
const openingSentence = new RegExp(`(?:^|[.:;?!] |@\\w+ )${pronounSubject}`);
/** The schema of policies is a text in Cedar, whose comments the API shows. */
const commented = () =>
  filesAt(/^(?:(?:libs|services)\/\w+\/src|console\/src|tools)\/.*\.(?:tsx?|cjs)$/).filter(
    ({ path }) => path !== 'services/tenancy/src/policies/domain/schema.ts',
  );
const isTest = ({ path }: SourceFile): boolean => /(^|\/)test\//.test(path);

/** Settings, files of the checkout, sealed values, cursors, rows and archives that we have written ourselves. */
const parsesOwnJson = new RegExp(
  `^(?:${[
    'libs/(?:client|testing)/.*',
    'libs/contracts/src/(?:parse-json|http/sorted-page)',
    'libs/shared/src/(?:json/parse-json|bus/parked-events|config/config|auth/identity|db/schema-version|db/expressions)',
    'libs/shared/src/(?:system/(?:log-search|instance)|secrets/sealed-json)',
    'services/agents/src/(?:apps/.*|archive/domain/file-format|external-tools/domain/.*)',
    'services/gateway/src/config',
    'services/tenancy/src/(?:erasure/domain/(?:subject|ledger)|messenger-login/domain/attempt)',
    'services/usage/src/domain/prices',
    'services/webhooks/src/(?:delivery/domain/journal-file|platforms/mailgun/domain/mailboxes)',
    'services/webhooks/src/(?:endpoints/domain/endpoints|admission/domain/kept-messages)',
  ].join('|')})\\.ts$`,
);

export const textChecks: readonly Check[] = [
  { rule: 'a source file has at most 300 lines', faults: () => longer(sources(), 300) },
  { rule: 'a test file has at most 400 lines', faults: () => longer(allCode().filter(isTest), 400) },
  {
    rule: 'main.ts has at most 60 lines and app.ts at most 140',
    faults: () => [
      ...longer(filesAt(/^services\/\w+\/src\/main\.ts$/), 60),
      ...longer(filesAt(/^services\/\w+\/src\/app\.ts$/), 140),
    ],
  },
  {
    rule: 'no object is spread where it is written: each property has its line',
    faults: () =>
      allCode().flatMap((file) =>
        [...file.text.matchAll(/\.{3}\{/g)].map(({ index }) => placeIn(file, index)),
      ),
  },
  {
    rule: 'no constant is named found, known, given, told or asked: a value is named for what it is',
    faults: () =>
      found([...allCode(), ...filesAt(/^console\/.*\.tsx?$/)], /\bconst (?:found|known|given|told|asked)\b/g),
  },
  {
    rule: 'a function has at most 60 lines, nothing is exported by default, no test is skipped or run alone: Biome sees to it',
    faults: () => {
      const { linter } = JSON.parse(filesAt(/^biome\.json$/)[0]?.text ?? '{}') as {
        linter: { rules: Record<string, Record<string, unknown>> };
      };
      const rules = Object.assign({}, ...Object.values(linter.rules)) as Record<string, unknown>;
      return Object.entries(wantedRules)
        .filter(([name, wanted]) => JSON.stringify(rules[name]) !== JSON.stringify(wanted))
        .map(([name]) => `biome.json: ${name} is not as it should be`);
    },
  },
  {
    rule: 'services and libraries have no default exports',
    faults: () => found([...serviceSources(), ...librarySources()], /^export default\b|\bas default\b/gm),
  },
  {
    rule: 'no request waits for an advisory lock with a connection in its hands: the lock is taken by lockOrMiss, or tried',
    faults: () =>
      found(
        serviceSources().map((file) => ({
          ...file,
          text: file.text.replace(/^ +locks:[^;]*?values:/gm, ''),
        })),
        /pg_advisory_(?:xact_)?lock/g,
      ),
  },
  {
    rule: 'no row of a table in a document is wider than 160 characters, so that terminals can show it',
    faults: () =>
      filesAt(/^(?!test\/deploy\/snapshots\/).*\.md$/).flatMap((file) =>
        [...file.text.matchAll(/^\|.{160,}$/gm)].map((match) => placeIn(file, match.index)),
      ),
  },
  {
    rule: 'a decision has at most 600 words, and the index names it',
    faults: () => {
      const [index] = filesAt(/^docs\/decisions\/README\.md$/);
      return filesAt(/^docs\/decisions\/\d{4}-[\w-]+\.md$/).flatMap(({ path, text }) => {
        const number = Number(/\d{4}/.exec(path)?.[0]);
        const isNamed = index?.text.includes(path.slice('docs/decisions/'.length));
        const isSuperseded = new RegExp(`^- .*\\b${number}\\b.* by `, 'm').test(index?.text ?? '');
        return [
          ...(text.split(/\s+/).length > 601 ? [`${path} has ${text.split(/\s+/).length} words`] : []),
          ...(isNamed || isSuperseded ? [] : [`${path} is not in the index`]),
        ];
      });
    },
  },
  {
    rule: 'JSON of others is read by libs/shared/src/json alone, which bounds it: the rest parses texts of our own',
    faults: () =>
      found(
        [...serviceSources(), ...librarySources()].filter(({ path }) => !parsesOwnJson.test(path)),
        /\bJSON\.parse\(|\.json\(\)(?! =>)|\bexpress\.json\b/g,
      ),
  },
  { rule: 'there are no barrels', faults: () => found(sources(), /^export \* (as \w+ )?from\b/gm) },
  {
    rule: 'names say what a thing is: no Dto, Model, Data, Info, Manager, Helper, Util, and no I in front',
    faults: () => [
      ...sources().flatMap((file) =>
        [...file.text.matchAll(/^(?:export )?(?:abstract )?(?:class|interface|type) (\w+)/gm)]
          .filter(([, name = '']) => isEmptyName(name) && !wordsOfOthers.has(name))
          .map((match) => `${placeIn(file, match.index)}: ${match[1]}`),
      ),
      ...sources()
        .map(({ path }) => path)
        .filter((path) => /(^|[/-])(utils?|helpers?|managers?|dtos?|models?|misc)(\.ts|\/|-)/.test(path))
        .filter(
          (path) =>
            !path.endsWith('-model.ts') && !/\/model(\.ts|\/)|\/agents\/(src|test)\/models\//.test(path),
        ),
    ],
  },
  {
    rule: 'only syntax that Node strips: no enum, namespace, decorator or parameter property',
    faults: () =>
      found(
        allCode(),
        /^\s*(?:export )?(?:const )?enum \w|^\s*(?:export )?namespace \w|^\s*@\w+\(.*\)\s*$|constructor\((?:[^)]*,)?\s*(?:private|public|protected|readonly) \w/gm,
      ),
  },
  {
    rule: 'no test is skipped, run alone or left for later',
    faults: () =>
      found(
        allCode().filter(isTest),
        /\b(?:test|it|describe)(?:\.\w+)*\.(?:skip|only|todo|skipIf|runIf|fails)\b|\bx(?:it|describe|test)\(/g,
      ),
  },
  {
    rule: 'tests wait on a condition, never on a time',
    faults: () =>
      found(
        allCode().filter((file) => file.path.endsWith('.test.ts')),
        /await new Promise\(\(?\w*\)? => setTimeout\(|\bawait (?:sleep|delay|setTimeout)\(/g,
      ),
  },
  {
    rule: 'no sentence of a comment opens with who, what, nobody or of',
    faults: () =>
      [...commented(), ...filesAt(/^(?:.*\/)?test\/.*\.tsx?$/)].flatMap((file) =>
        commentsOf(file)
          .filter(({ words }) => openingSentence.test(words))
          .map(({ index }) => placeIn(file, index)),
      ),
  },
  {
    rule: 'a line of a comment or of a document has at most 120 characters',
    faults: () => [...commented().flatMap(longComments), ...documents().flatMap(longProse)],
  },
  {
    rule: 'the repository mentions nothing outside itself',
    faults: () =>
      found(
        filesAt(/\.(ts|js|cjs|mjs|json|md|ya?ml|sql|sh|css|html|svg)$|^\.ci\/run$|^\.npmrc$/).filter(
          ({ path }) => path !== 'package-lock.json' && path !== 'test/architecture/text.ts',
        ),
        /(?<!['"\w./])(?:\.\.\/)+shared\/(?!src)|(?<![\w.-])\/(?:work|home|root|Users|tmp)\/[\w.-]+/g,
      ),
  },
];

const wantedRules: Readonly<Record<string, unknown>> = {
  noExcessiveLinesPerFunction: { level: 'error', options: { maxLines: 60 } },
  noBarrelFile: 'error',
  noDefaultExport: 'error',
  noFocusedTests: 'error',
  noSkippedTests: 'error',
  noFloatingPromises: 'error',
  noMisusedPromises: 'error',
};

const isEmptyName = (name: string): boolean =>
  /(?:Dto|DTO|Model|Data|Info|Manager|Helper|Util)s?$|^I[A-Z]/.test(name);
/** The platform's word, and a model that answers. */
const wordsOfOthers = new Set(['WebhookInfo', 'FakeModel']);

function longer(files: readonly SourceFile[], most: number): string[] {
  return files.filter((file) => linesOf(file) > most).map((file) => `${file.path}: ${linesOf(file)} lines`);
}

const maxProse = 120;

/** The comments of a file without their marks. Consecutive lines of `//` are one comment. */
function commentsOf({ text }: SourceFile): { index: number; words: string }[] {
  const comments = /(?<=^|\s|\{)(?:\/\*[*\s][\s\S]*?\*\/|\/\/ .*(?:\n[ \t]*\/\/ .*)*)/gm;
  return [...text.matchAll(comments)].map(({ 0: comment, index }) => ({
    index,
    words: comment
      .replace(/^[ \t]*(?:\/\*\*?|\*\/|\*|\/\/)[ \t]*/gm, '')
      .replace(/\s+/g, ' ')
      .trim(),
  }));
}

function longComments(file: SourceFile): string[] {
  return found([file], /^[ \t]*(?:\/\*\*?|\*|\/\/) .*$/gm, (line) => line.length > maxProse);
}

/** Pages that are made from texts of the code are as wide as those. */
const documents = () => filesAt(/\.md$/).filter(({ path }) => !/^docs\/(?:errors|events)\.md$/.test(path));

/** Code blocks, tables, and lines that have no place for a break are as long as they need to be. */
function longProse({ path, text }: SourceFile): string[] {
  const lines = text
    .replace(/^ *```.*?^ *```/gms, (code) => '\n'.repeat(code.split('\n').length - 1))
    .split('\n');
  return lines.flatMap((line, index) => {
    const unbroken = line.replace(/`[^`]+`|\]\([^)]+\)/g, (whole) => whole.replaceAll(' ', '_'));
    const isBreakable = unbroken.trimStart().lastIndexOf(' ', maxProse) > 2;
    return line.length > maxProse && isBreakable && !/^\s*\|/.test(line) ? [`${path}:${index + 1}`] : [];
  });
}

function found(
  files: readonly SourceFile[],
  pattern: RegExp,
  isFault: (match: string) => boolean = () => true,
): string[] {
  return files.flatMap((file) =>
    [...file.text.matchAll(pattern)]
      .filter(([match]) => isFault(match))
      .map((match) => `${placeIn(file, match.index)}: ${match[0].trim()}`),
  );
}
