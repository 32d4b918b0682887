import {
  contractSources,
  fileAt,
  filesAt,
  type Import,
  importsOf,
  layerOf,
  librarySources,
  packageOf,
  placeIn,
  productionSources,
  type SourceFile,
  serviceOf,
  serviceSources,
  sharedSources,
  wordSources,
} from '../support/sources.ts';
import type { Check } from './check.ts';

/** The layers that a layer may import within its service: routes -> domain -> store, clients; never the other way. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  main: ['app', 'config'],
  app: [
    'config',
    'deps',
    'routes',
    'consumers',
    'workers',
    'domain',
    'clients',
    'platform',
    'registry',
    'adapter',
  ],
  workers: ['deps', 'domain'],
  deps: ['deps', 'config', 'domain', 'store', 'clients', 'platform', 'adapter'],
  platform: ['deps', 'domain', 'store'],
  registry: ['adapter', 'platform', 'domain'],
  adapter: ['adapter', 'tasks', 'deps', 'routes', 'domain', 'clients', 'platform'],
  tasks: ['tasks', 'domain'],
  config: ['registry'],
  routes: ['routes', 'deps', 'domain', 'store', 'platform'],
  consumers: ['consumers', 'deps', 'domain', 'store'],
  domain: ['domain', 'deps', 'config', 'store', 'clients', 'platform', 'adapter', 'tasks'],
  store: ['store'],
  clients: ['clients'],
};

/** Packages that a layer must not load; types of them are no dependency. */
const mayNotLoad: Readonly<Record<string, RegExp>> = {
  domain: /^(express|http-proxy-middleware|@nats-io\/.*|pg|drizzle-orm|ai|@ai-sdk\/.*)$/,
  store: /^(express|express-rate-limit|http-proxy-middleware|@nats-io\/.*|pg|drizzle-orm|ai|@ai-sdk\/.*)$/,
  routes: /^(@nats-io\/.*|pg|drizzle-orm|ai|@ai-sdk\/.*)$/,
  consumers: /^(express|express-rate-limit|@nats-io\/.*|pg|drizzle-orm|ai|@ai-sdk\/.*)$/,
  clients: /^(express|@nats-io\/.*|pg|drizzle-orm)$/,
};

/** The parts of libs/shared that a layer may not use. */
const mayNotUse: Readonly<Record<string, RegExp>> = {
  domain:
    /^libs\/shared\/src\/(db\/(drizzle|columns|migrate)|http\/(mount|server|error-handler|request-context))\.ts$/,
  store:
    /^libs\/shared\/src\/(bus\/(?!outbox)|http\/(mount|server|error-handler|request-context)|auth\/(access|identity))/,
  clients: /^libs\/shared\/src\/(db\/|http\/(mount|server|error-handler|request-context))/,
};

export const layerChecks: readonly Check[] = [
  {
    rule: 'no service imports another service',
    faults: () =>
      faultsOf(serviceSources(), (file, { specifier, target }) => {
        const isForeign = target?.startsWith('services/') && serviceOf(target) !== serviceOf(file.path);
        return isForeign || /^@botyard\/(?!(contracts|shared|testing|words)\/)/.test(specifier);
      }),
  },
  {
    rule: 'inside a service: routes -> domain -> store, clients; never against it',
    faults: () =>
      faultsOf(serviceSources(), ({ path }, { target }) => {
        if (!target?.startsWith('services/')) return false;
        return !mayImport[layerOf(path)]?.includes(layerOf(target));
      }),
  },
  {
    rule: 'domain knows no express, NATS or SQL driver; store no express and no NATS; only clients know vendors',
    faults: () =>
      faultsOf(serviceSources(), ({ path }, { specifier, isTypeOnly }) => {
        const name = packageOf(specifier);
        return !isTypeOnly && name !== undefined && mayNotLoad[layerOf(path)]?.test(name) === true;
      }),
  },
  {
    rule: 'domain builds no queries and mounts no routes; store publishes nothing; clients touch no database',
    faults: () =>
      faultsOf(serviceSources(), ({ path }, { target, isTypeOnly }) => {
        return !isTypeOnly && target !== undefined && mayNotUse[layerOf(path)]?.test(target) === true;
      }),
  },
  {
    rule: 'there is SQL in store only',
    faults: () =>
      serviceSources()
        .filter(({ path }) => layerOf(path) !== 'store')
        .filter(({ text }) =>
          /\btx\.(db|query)\b|\b(insert into|delete from|select .+ from) [a-z_]+\.[a-z_]+/i.test(text),
        )
        .map(({ path }) => path),
  },
  {
    rule: 'libs/contracts imports zod and itself; libs/shared and libs/words import libs/contracts and themselves',
    faults: () => [
      ...faultsOf(contractSources(), (_file, { specifier, target }) =>
        target ? !target.startsWith('libs/contracts/') : specifier !== 'zod',
      ),
      ...faultsOf(
        sharedSources(),
        (_file, { target }) => target !== undefined && !/^libs\/(contracts|shared)\//.test(target),
      ),
      ...faultsOf(
        wordSources(),
        (_file, { target }) => target !== undefined && !/^libs\/(contracts|words)\//.test(target),
      ),
    ],
  },
  {
    rule: 'libs/client imports itself and what its package names, and is loaded by no service',
    faults: () => [
      ...faultsOf(
        filesAt(/^libs\/client\/src\/.*\.ts$/),
        (_file, { specifier, target }) =>
          specifier.startsWith('node:') || (target !== undefined && !target.startsWith('libs/client/')),
      ),
      ...faultsOf(productionSources(), (_file, { target }) => target?.startsWith('libs/client/')),
    ],
  },
  {
    rule: 'libs/contracts runs in a browser: it names nothing that only Node has',
    faults: () =>
      contractSources().flatMap((file) =>
        [...file.text.matchAll(/\b(Buffer|process|require|__dirname|NodeJS)\b(?=[.(<]\w)/g)].map(
          (match) => `${placeIn(file, match.index)}: ${match[0]}`,
        ),
      ),
  },
  {
    rule: 'only tests and tools load libs/testing',
    faults: () => faultsOf(productionSources(), (_file, { target }) => target?.startsWith('libs/testing/')),
  },
  {
    rule: 'imports lead to files that exist, with their extension',
    faults: () =>
      faultsOf([...serviceSources(), ...librarySources()], (_file, { target }) => {
        if (target === undefined) return false;
        try {
          return fileAt(target).text === undefined;
        } catch {
          return true;
        }
      }),
  },
];

function faultsOf(
  files: readonly SourceFile[],
  isFault: (file: SourceFile, found: Import) => boolean | undefined,
): string[] {
  return files.flatMap((file) =>
    importsOf(file)
      .filter((found) => isFault(file, found))
      .map(({ specifier }) => `${file.path}: imports ${specifier}`),
  );
}
