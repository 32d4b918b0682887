import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  fileAt,
  filesAt,
  importsOf,
  listFiles,
  moduleOf,
  readText,
  root,
  serviceOf,
  serviceSources,
  services,
} from '../support/sources.ts';
import type { Check } from './check.ts';

/** From module to module, with an import that makes the arrow. */
type Arrows = ReadonlyMap<string, ReadonlyMap<string, string>>;

/**
 * Arrows that close circles and are still to be turned around. The list only gets shorter: an arrow that is gone has to be
 * taken off it.
 */
const known: Readonly<Record<string, readonly string[]>> = {
  webhooks: [
    'delivery -> platforms/mailgun',
    'platforms -> delivery',
    'platforms -> endpoints',
    'platforms -> platforms/mailgun',
    'platforms -> platforms/telegram',
    'platforms/mailgun -> erasure',
  ],
};

export const moduleChecks: readonly Check[] = [
  {
    rule: 'the modules of a service form no circle',
    faults: () =>
      services.flatMap((service) => {
        const arrows = arrowsIn(service);
        const closing = known[service] ?? [];
        const gone = closing.filter((arrow) => !hasArrow(arrows, arrow));
        return [
          ...gone.map((arrow) => `services/${service}: ${arrow} is gone, take it off the list`),
          ...circlesOf(arrows, new Set(closing)).map((circle) => `services/${service}: ${circle}`),
        ];
      }),
  },
  {
    rule: "files that a module's README names exist",
    faults: () =>
      filesAt(/^services\/\w+\/src\/.+\/README\.md$/).flatMap(({ path, text }) => {
        const source = path.split('/').slice(0, 3).join('/');
        const present = new Set(listFiles(source));
        return [...text.matchAll(/`([\w/-]+\/[\w-]+\.ts)`/g)]
          .map(([, name = '']) => name)
          .filter((name) => !present.has(join(dirname(path), name)) && !present.has(join(source, name)))
          .map((name) => `${path}: there is no ${name}`);
      }),
  },
  {
    rule: 'files and folders that README.md and CONTRIBUTING.md name exist',
    faults: () =>
      ['README.md', 'CONTRIBUTING.md'].flatMap((page) =>
        [...readText(page).matchAll(/`((?:console|docs|libs|services|test|tools)\/[\w./-]+)`/g)]
          .map(([, name = '']) => name)
          .filter((name) => !existsSync(join(root, name)))
          .map((name) => `${page}: there is no ${name}`),
      ),
  },
];

function arrowsIn(service: string): Arrows {
  const arrows = new Map<string, Map<string, string>>();
  for (const { path } of serviceSources().filter((file) => serviceOf(file.path) === service)) {
    const from = moduleOf(path);
    if (from === '') continue;
    for (const { target } of importsOf(fileAt(path))) {
      const to = target?.startsWith(`services/${service}/src/`) ? moduleOf(target) : '';
      if (to === '' || to === from) continue;
      arrows.set(from, (arrows.get(from) ?? new Map()).set(to, `${path} imports ${target}`));
    }
  }
  return arrows;
}

function hasArrow(arrows: Arrows, arrow: string): boolean {
  const [from = '', to = ''] = arrow.split(' -> ');
  return arrows.get(from)?.has(to) === true;
}

/** One circle for each arrow that leads back to a module on the way to it. */
function circlesOf(arrows: Arrows, leftOut: ReadonlySet<string>): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (module: string, way: readonly string[]): void => {
    for (const [next, cause] of arrows.get(module) ?? []) {
      if (leftOut.has(`${module} -> ${next}`)) continue;
      const start = way.indexOf(next);
      if (start >= 0) found.push(`${[...way.slice(start), next].join(' -> ')} (${cause})`);
      else if (!done.has(next)) visit(next, [...way, next]);
    }
    done.add(module);
  };
  for (const module of arrows.keys()) if (!done.has(module)) visit(module, [module]);
  return found;
}
