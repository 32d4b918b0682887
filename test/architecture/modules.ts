import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type ImportGraph, type ModuleLayer, moduleImports, moduleLayers } from '../support/import-graph.ts';
import {
  fileAt,
  filesAt,
  importsOf,
  librarySources,
  listFiles,
  moduleOf,
  readText,
  root,
  serviceOf,
  serviceSources,
  services,
  toolSources,
} from '../support/sources.ts';
import type { Check } from './check.ts';

const maxModuleLayers = 6;

/** From the lowest layer up, numbered from 1. */
const toLine = ({ depth, modules }: ModuleLayer): string => `  ${depth}. ${modules.join(', ')}`;

export const moduleChecks: readonly Check[] = [
  {
    rule: 'the modules of a service form no circle',
    faults: () =>
      services.flatMap((service) =>
        cyclesOf(moduleImports(service)).map((circle) => `services/${service}: ${circle}`),
      ),
  },
  {
    rule: `the modules of a service stand on at most ${maxModuleLayers} layers, and import lower ones only`,
    faults: () =>
      services.flatMap((service) => {
        const layers = moduleLayers(service);
        if (layers.length > 0)
          process.stdout.write(`${[`services/${service}`, ...layers.map(toLine)].join('\n')}\n`);
        return layers.slice(maxModuleLayers).map((layer) => `services/${service}: ${toLine(layer)}`);
      }),
  },
  {
    rule: "no module imports the service's deps.ts: each names what it needs in its own",
    faults: () =>
      serviceSources()
        .filter(({ path }) => moduleOf(path) !== '')
        .filter((file) =>
          importsOf(file).some(({ target = '' }) => /^services\/\w+\/src\/deps\.ts$/.test(target)),
        )
        .map(({ path }) => path),
  },
  {
    rule: "other modules come in through what a module's README names: a file, a folder, or what it exports",
    faults: () =>
      entries().flatMap(({ from, module, file, names }) => {
        const said = namedIn(`services/${serviceOf(from)}/src/${module}/README.md`);
        const isNamed =
          file === 'deps.ts' ||
          said.some((name) =>
            name.endsWith('/')
              ? file.startsWith(name)
              : `/${file}`.endsWith(`/${name.replace(/\.ts$/, '')}.ts`),
          );
        return names
          .filter((name) => !isNamed && !said.includes(name))
          .map((name) => `${from}: ${module} does not name ${name} of ${file}`);
      }),
  },
  {
    rule: 'files import each other in no circle, types included',
    faults: () => {
      const console = filesAt(/^console\/src\/.*\.tsx?$/);
      const sources = [...serviceSources(), ...librarySources(), ...toolSources(), ...console];
      return cyclesOf(new Map(sources.map(({ path }) => [path, importedBy(path)])));
    },
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

interface Entry {
  /** The importing file. */
  from: string;
  module: string;
  /** Within the module. */
  file: string;
  names: readonly string[];
}

/** The imports of other modules by files of modules. */
function entries(): Entry[] {
  return serviceSources().flatMap((source) =>
    importsOf(source).flatMap(({ target = '', names }) => {
      const module = target.startsWith('services/') ? moduleOf(target) : '';
      if (module === '' || ['', module].includes(moduleOf(source.path))) return [];
      const file = target.split(`/src/${module}/`)[1] ?? '';
      return [{ from: source.path, module, file, names: [...names.values()] }];
    }),
  );
}

const namedIn = (readme: string): string[] =>
  [...fileAt(readme).text.matchAll(/`([\w./-]+)(?:\([^`]*\))?`/g)].map(([, name = '']) => name);

function importedBy(path: string): ReadonlyMap<string, string> {
  const targets = importsOf(fileAt(path)).flatMap(({ target }) => target ?? []);
  return new Map(targets.map((target) => [target, `${path} imports ${target}`]));
}

/** One circle for each arrow that leads back to a module on the way to it. */
function cyclesOf(graph: ImportGraph): string[] {
  const circles: string[] = [];
  const done = new Set<string>();
  const visit = (module: string, way: readonly string[]): void => {
    for (const [next, cause] of graph.get(module) ?? []) {
      const start = way.indexOf(next);
      if (start >= 0) circles.push(`${[...way.slice(start), next].join(' -> ')} (${cause})`);
      else if (!done.has(next)) visit(next, [...way, next]);
    }
    done.add(module);
  };
  for (const module of graph.keys()) if (!done.has(module)) visit(module, [module]);
  return circles;
}
