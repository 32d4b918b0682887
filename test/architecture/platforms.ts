import { platformNames } from '@botyard/contracts/platform-names';
import { filesAt, importsOf, placeIn, type SourceFile, toolSources } from '../support/sources.ts';
import type { Check } from './check.ts';

/** Where a platform may be named: its own files, and the registries with one line a platform. */
const namesPlatforms = [
  /^libs\/contracts\/src\/(platform-names|http\/platform)\.ts$/,
  /^libs\/contracts\/src\/platforms\//,
  /^services\/webhooks\/src\/platforms\/(registry\.ts$|tasks\.ts$|(?!domain|clients)[a-z]+\/)/,
  /^libs\/testing\/src\/platforms\//,
  /^tools\/launcher\/settings\/fakes\.ts$/,
  /^tools\/launcher\/seeds\//,
  /^tools\/sandbox\//,
];
const mayName = ({ path }: SourceFile): boolean => namesPlatforms.some((pattern) => pattern.test(path));

const folders = filesAt(/^services\/webhooks\/src\/platforms\/[a-z]+\/adapter\.ts$/).map(
  ({ path }) => path.split('/').at(-2)!,
);
const names = [...new Set([...platformNames, ...folders])];
const word = `['"\`](?:${names.join('|')})['"\`](?:::\\w+)?`;
/** Decisions by a platform's name, in TypeScript and in the text of a statement. */
const decisions: Readonly<Record<string, RegExp>> = {
  comparison: new RegExp(
    String.raw`(?:[!=]==?|<>|\bcase|\bwhen|(?:\bin |includes|has|startsWith|is[A-Z]\w*)\()\s*${word}|${word}\s*(?:[!=]==?|<>|=(?!>))|[a-z_]\s*=\s*${word}`,
    'g',
  ),
  default: new RegExp(
    String.raw`(?:\?\?|\|\||[\w)]\s+=|\bdefault\(?|[?:][^:?{}]*\?[^:{}]*:)\s*${word}`,
    'gi',
  ),
  list: new RegExp(String.raw`\[[^\]\`]*${word}\s*[,\]]|\bvalues \([^\`)]*${word}`, 'g'),
};

/** `email` is also a field of people and forms. */
const isField = (line: string): boolean =>
  /['"]email['"]/.test(line) && !/platform|integration|channel|source|adapter/i.test(line);

function decisionsIn(file: SourceFile): string[] {
  return Object.entries(decisions).flatMap(([what, pattern]) =>
    [...file.text.matchAll(pattern)].flatMap(({ index, 0: match }) => {
      const end = index + match.length;
      const line = file.text.slice(file.text.lastIndexOf('\n', end - 1) + 1, file.text.indexOf('\n', end));
      return isField(line) ? [] : [`${placeIn(file, end - 1)}: ${what}: ${line.trim()}`];
    }),
  );
}

/** Settings of one integration are in a field with the name of its platform. */
const keyOfPlatform = new RegExp(
  String.raw`(?:^|(?<!\bsettings: )\{|,)\s*['"]?(${platformNames.join('|')})['"]?\??:`,
  'gm',
);

/** Keys of one object, such as `{ messenger: …, slack: … }`. */
function listedKeys(file: SourceFile): string[] {
  const keys = new Set([...file.text.matchAll(keyOfPlatform)].map(([, name]) => name));
  return keys.size < 2 ? [] : [`${file.path}: a list of platforms: ${[...keys].join(', ')}`];
}

/** Places of a file where something is decided by the name of a platform. */
export const decisionsByName = (file: SourceFile): string[] => [...decisionsIn(file), ...listedKeys(file)];

const adapterFolder = /^services\/webhooks\/src\/platforms\/(?!domain|clients)[a-z]+\//;
const registries = /^services\/webhooks\/src\/platforms\/(registry|tasks)\.ts$/;
const sources = () => [
  ...filesAt(/^(?:services\/\w+|libs\/(?!testing)\w+|console)\/src\/.*\.tsx?$/),
  ...toolSources(),
];

export const platformChecks: readonly Check[] = [
  {
    rule: 'no comparison with, default of, or list of platform names, except in their own files and the registries',
    faults: () =>
      sources()
        .filter((file) => !mayName(file))
        .flatMap(decisionsByName),
  },
  {
    rule: "no import from an adapter's folder, except by itself and by the registry",
    faults: () =>
      sources().flatMap((file) =>
        importsOf(file).flatMap(({ target = '' }) => {
          const folder = adapterFolder.exec(target)?.[0];
          const isOwn = folder === undefined || file.path.startsWith(folder) || registries.test(file.path);
          return isOwn ? [] : [`${file.path}: imports ${target}`];
        }),
      ),
  },
];
