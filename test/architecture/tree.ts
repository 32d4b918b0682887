import { dirname } from 'node:path';
import {
  allCode,
  filesAt,
  layerOf,
  layers,
  listFiles,
  moduleOf,
  readText,
  serviceOf,
  serviceSources,
  services,
} from '../support/sources.ts';
import type { Check } from './check.ts';

const allowedInSrc = ['main', 'app', 'deps', 'config', 'routes', 'consumers', 'workers', ...layers];
const moduleParts: readonly string[] = ['deps', ...layers];
/** Files that platforms have in common lie beside them, and each platform's entry and tasks in its folder. */
const ofPlatforms = /^services\/webhooks\/src\/platforms\/(platform|registry|(\w+\/)?(adapter|tasks))\.ts$/;
/** Every feature of these services is a module. */
const inModules: readonly string[] = ['agents', 'tenancy', 'webhooks'];
const requiredInSrc = ['main.ts', 'app.ts', 'deps.ts', 'config.ts'];
const readmeSections = ['Owns', 'Routes', 'Publishes', 'Consumes', 'Tables', 'Settings'];

/** Files without a dot in front, and everything in folders of the same kind. */
const visible = (path: string): boolean => !path.split('/').some((part) => part.startsWith('.'));

export const treeChecks: readonly Check[] = [
  {
    rule: "a service's src holds its entry, its tables of contents, layers, and modules that hold layers",
    faults: () =>
      serviceSources()
        .filter(({ path }) => !ofPlatforms.test(path))
        .filter(({ path }) => !(moduleOf(path) === '' ? allowedInSrc : moduleParts).includes(layerOf(path)))
        .map(({ path }) => path),
  },
  {
    rule: 'beside the modules of agents, tenancy and webhooks lie what wires them, store and clients',
    faults: () =>
      serviceSources()
        .map(({ path }) => path)
        .filter((path) => inModules.includes(serviceOf(path)) && moduleOf(path) === '')
        .filter((path) => /\/src\/(routes|consumers|domain)\//.test(path)),
  },
  {
    rule: 'every module of a service has a README',
    faults: () => {
      const modules = serviceSources().filter(({ path }) => moduleOf(path) !== '');
      const readmes = modules.map(
        ({ path }) => `services/${serviceOf(path)}/src/${moduleOf(path)}/README.md`,
      );
      return [...new Set(readmes)].filter((path) => filesAt(new RegExp(`^${path}$`)).length === 0);
    },
  },
  {
    rule: 'every service has main, app, deps and config, and a package.json',
    faults: () => {
      const present = new Set(listFiles('services'));
      const wanted = services.flatMap((name) => [
        `services/${name}/package.json`,
        ...requiredInSrc.map((file) => `services/${name}/src/${file}`),
      ]);
      return wanted.filter((path) => !present.has(path));
    },
  },
  {
    rule: `every service has a README that tells what it ${readmeSections.join(' · ')}`,
    faults: () => {
      const present = new Set(listFiles('services'));
      return services.flatMap((name) => {
        const path = `services/${name}/README.md`;
        if (!present.has(path)) return [`${path}: is missing`];
        const text = readText(path);
        return readmeSections
          .filter((word) => !text.includes(word))
          .map((word) => `${path}: says nothing of ${word}`);
      });
    },
  },
  {
    rule: "tests mirror src: a test in a service's test folder, or in a library's, has a folder of src's name",
    faults: () =>
      filesAt(/^(services|libs)\/\w+\/test\/.+\/.*\.test\.ts$/)
        .map(({ path }) => path)
        .filter((path) => {
          const folder = dirname(path).replace('/test/', '/src/');
          return !serviceSourceFolders().has(folder);
        }),
  },
  {
    rule: 'files are in kebab-case',
    faults: () =>
      allCode()
        .map(({ path }) => path)
        .filter(visible)
        .filter(
          (path) =>
            !/^([a-z0-9]+(-[a-z0-9]+)*)(\.(test|config))?\.(ts|cjs|mjs|js)$/.test(
              path.split('/').at(-1) ?? '',
            ),
        ),
  },
  {
    rule: 'there is no index file',
    faults: () =>
      allCode()
        .map(({ path }) => path)
        .filter((path) => /(^|\/)index\.\w+$/.test(path)),
  },
  {
    rule: 'services are those that this test knows',
    faults: () =>
      [...new Set(filesAt(/^services\//).map(({ path }) => serviceOf(path)))].filter(
        (name) => !(services as readonly string[]).includes(name),
      ),
  },
];

function serviceSourceFolders(): Set<string> {
  const folders = new Set<string>();
  for (const { path } of filesAt(/^(services|libs)\/\w+\/src\//))
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) folders.add(folder);
  return folders;
}
