import {
  allCode,
  fileAt,
  importsOf,
  libraries,
  librarySources,
  loadedFrom,
  packageOf,
  placeIn,
  productionSources,
  serviceSources,
  services,
  toolSources,
} from '../support/sources.ts';
import type { Check } from './check.ts';

const common = ['express', 'jose', 'lru-cache', 'pino', 'prom-client', 'zod'];
const withDatabaseAndBus = [...common, '@nats-io/jetstream', '@nats-io/transport-node', 'pg', 'uuid'];

/**
 * The packages that each process loads when it starts. Another package costs memory and start-up time: measure it,
 * then add it here.
 */
const loadedAtStart: Readonly<Record<(typeof services)[number], readonly string[]>> = {
  gateway: [
    ...common,
    '@modelcontextprotocol/server',
    '@nats-io/jetstream',
    '@nats-io/transport-node',
    'proxy-addr',
    'undici',
  ],
  tenancy: [...withDatabaseAndBus, 'messageformat', 'tldts'],
  keys: withDatabaseAndBus,
  usage: withDatabaseAndBus,
  webhooks: [
    ...[
      ...withDatabaseAndBus,
      'entities',
      'express-rate-limit',
      'htmlparser2',
      'marked',
      'messageformat',
      'svix',
    ],
    'tldts',
  ],
  agents: [
    ...[...withDatabaseAndBus, '@orama/stemmers', '@orama/stopwords', 'canonicalize', 'messageformat'],
    'minisearch',
  ],
};

/** Loaded where they are used and nowhere else. */
const dynamicOnly = /^(ai|@ai-sdk\/.*)$/;
/** Loaded in a process that has a collector, and in no other. */
const withCollectorOnly = /^@opentelemetry\/.*$/;
/** Not taken, or not yet: docs/decisions/0007-libraries.md. */
const refused =
  /^(@opentelemetry\/(sdk-node|sdk-trace-.*|auto-.*|instrumentation.*)|grammy|telegraf|node-pg-migrate|axios|lodash|moment|uuidv7)$/;

/** Needed where deliveries or forms come in, and nowhere else. */
const whereNeeded: Readonly<Record<string, RegExp>> = {
  svix: /^services\/webhooks\//,
  multer: /^(?:services\/webhooks|libs\/shared)\//,
};

export const loadingChecks: readonly Check[] = [
  {
    rule: 'each process loads the packages that it is known to load, and no others',
    faults: () =>
      services.flatMap((service) => {
        const { packages } = loadedFrom(`services/${service}/src/main.ts`);
        const expectedNames = new Set(loadedAtStart[service]);
        const added = [...packages]
          .filter((name) => !expectedNames.has(name))
          .map((name) => `${service}: loads ${name}`);
        const gone = [...expectedNames]
          .filter((name) => !packages.has(name))
          .map((name) => `${service}: no longer loads ${name}`);
        return [...added, ...gone];
      }),
  },
  {
    rule: "the model providers' SDK is loaded at the first call, by the agents service alone",
    faults: () =>
      productionSources().flatMap((file) =>
        importsOf(file)
          .filter(({ specifier, isTypeOnly }) => !isTypeOnly && dynamicOnly.test(packageOf(specifier) ?? ''))
          .filter(
            ({ isDynamic }) => !isDynamic || !file.path.startsWith('services/agents/src/models/clients/'),
          )
          .map(({ specifier }) => `${file.path}: imports ${specifier}`),
      ),
  },
  {
    rule: 'OpenTelemetry is in tracing/otlp.ts alone, which is imported where a collector is set',
    faults: () =>
      productionSources().flatMap((file) =>
        importsOf(file)
          .filter(({ specifier, target, isDynamic, isTypeOnly }) =>
            withCollectorOnly.test(packageOf(specifier) ?? '')
              ? file.path !== 'libs/shared/src/tracing/otlp.ts'
              : target === 'libs/shared/src/tracing/otlp.ts' && !isDynamic && !isTypeOnly,
          )
          .map(({ specifier }) => `${file.path}: imports ${specifier}`),
      ),
  },
  {
    rule: 'drizzle-orm is loaded as CommonJS, in db/drizzle.ts and db/migrate.ts only',
    faults: () => {
      const mayLoad = ['libs/shared/src/db/drizzle.ts', 'libs/shared/src/db/migrate.ts'];
      return [...productionSources(), ...toolSources()].flatMap((file) => {
        const imported = importsOf(file)
          .filter(({ specifier, isTypeOnly }) => !isTypeOnly && packageOf(specifier) === 'drizzle-orm')
          .map(({ specifier }) => `${file.path}: imports ${specifier}`);
        const required = [...file.text.matchAll(/\b(?:load|require)\(\s*'drizzle-orm/g)]
          .filter(() => !mayLoad.includes(file.path))
          .map(({ index }) => `${placeIn(file, index)}: requires drizzle-orm`);
        return [...imported, ...required];
      });
    },
  },
  {
    rule: 'packages that were refused are in no package.json; svix and multer only where deliveries or forms come in',
    faults: () =>
      packageFiles().flatMap(({ path, dependencies }) =>
        dependencies
          .filter((name) => refused.test(name) || whereNeeded[name]?.test(path) === false)
          .map((name) => `${path}: depends on ${name}`),
      ),
  },
  {
    rule: 'a workspace declares every package that its sources load',
    faults: () =>
      packageFiles()
        .filter(({ path }) => path !== 'package.json')
        .flatMap(({ path, folder, dependencies }) => {
          const used = allCode()
            .filter((file) => file.path.startsWith(`${folder}src/`))
            .flatMap((file) => importsOf(file).map(({ specifier }) => packageOf(specifier)))
            .filter((name) => name !== undefined && !name.startsWith('@botyard/'));
          return [...new Set(used)]
            .filter((name) => !dependencies.includes(name ?? ''))
            .map((name) => `${path}: does not declare ${name}`);
        }),
  },
  {
    rule: 'versions of dependencies are exact',
    faults: () =>
      packageFiles().flatMap(({ path, versions }) =>
        Object.entries(versions)
          .filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
          .map(([name, version]) => `${path}: ${name} is ${version}`),
      ),
  },
  {
    rule: 'the environment is read by startService and by tools only, once',
    faults: () =>
      [...serviceSources(), ...librarySources()]
        .filter(({ path }) => path !== 'libs/shared/src/service/run-service.ts')
        .flatMap((file) =>
          [...file.text.matchAll(/process\.env\b/g)].map(
            ({ index }) => `${placeIn(file, index)}: reads process.env`,
          ),
        ),
  },
  {
    rule: 'tools read their arguments by tools/command-line alone, so that each has --help',
    faults: () =>
      toolSources()
        .filter(({ path }) => !path.startsWith('tools/command-line/'))
        .flatMap((file) =>
          [...file.text.matchAll(/process\.argv\b|\bparseArgs\b/g)].map(
            ({ index }) => `${placeIn(file, index)}: reads arguments by itself`,
          ),
        ),
  },
  {
    rule: 'nothing works at import: no top-level await but in main.ts, no timer and no connection outside functions',
    faults: () =>
      [...serviceSources(), ...librarySources()]
        .filter(({ path }) => !path.endsWith('/main.ts'))
        .flatMap((file) =>
          [...file.text.matchAll(/^(await |setInterval\(|setTimeout\(|process\.on)/gm)].map(
            ({ index }) => `${placeIn(file, index)}: works at import`,
          ),
        ),
  },
];

interface PackageFile {
  path: string;
  folder: string;
  dependencies: string[];
  versions: Record<string, string>;
}

function packageFiles(): PackageFile[] {
  const folders = [
    '',
    ...libraries.map((name) => `libs/${name}/`),
    ...services.map((name) => `services/${name}/`),
  ];
  return folders.map((folder) => {
    const path = `${folder}package.json`;
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(fileAt(path).text) as Record<
      string,
      Record<string, string> | undefined
    >;
    const versions = { ...dependencies, ...devDependencies, ...optionalDependencies };
    return { path, folder, dependencies: Object.keys(versions), versions };
  });
}
