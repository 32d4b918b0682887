import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../', import.meta.url));

/** A file of the repository; its path is relative to the root. */
export interface SourceFile {
  path: string;
  text: string;
}

export interface Import {
  /** The specifier as written. */
  specifier: string;
  /** For a relative one, and one of our own packages, the path of the file that it means. */
  target: string | undefined;
  isTypeOnly: boolean;
  isDynamic: boolean;
  /** Local name -> exported name. */
  names: ReadonlyMap<string, string>;
}

const passedOver = new Set(['.git', 'node_modules', '.data', 'coverage']);

/** Every file beneath a folder, of any kind, in a fixed order. */
export function listFiles(folder = ''): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter(({ name }) => !passedOver.has(name))
    .sort((left, right) => (left.name < right.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return listFiles(path);
      return entry.isFile() ? [path] : [];
    });
}

export const readText = (path: string): string => readFileSync(join(root, path), 'utf8');

const files = listFiles();
const texts = new Map<string, SourceFile>();

/** The files whose paths match, read once. */
export function filesAt(pattern: RegExp): SourceFile[] {
  return files.filter((path) => pattern.test(path)).map(fileAt);
}

export function fileAt(path: string): SourceFile {
  const source = texts.get(path) ?? { path, text: readText(path) };
  texts.set(path, source);
  return source;
}

export const services = ['gateway', 'tenancy', 'keys', 'usage', 'webhooks', 'agents'] as const;
export const libraries = ['client', 'contracts', 'shared', 'testing', 'words'] as const;
export const serviceSources = () => filesAt(/^services\/\w+\/src\/.*\.ts$/);
export const contractSources = () => filesAt(/^libs\/contracts\/src\/.*\.ts$/);
export const sharedSources = () => filesAt(/^libs\/shared\/src\/.*\.ts$/);
export const wordSources = () => filesAt(/^libs\/words\/src\/.*\.ts$/);
/** The sources in the services' image. */
export const productionSources = () => [
  ...serviceSources(),
  ...contractSources(),
  ...sharedSources(),
  ...wordSources(),
];
export const librarySources = () => filesAt(/^libs\/\w+\/src\/.*\.ts$/);
export const toolSources = () => filesAt(/^tools\/(?!.*\/test\/).*\.(ts|cjs)$/);
export const allCode = () => filesAt(/^(libs|services|tools|test)\/.*\.(ts|cjs|mjs|js)$/);

const fromClause = /^(?:import|export)\s+(type\s+)?([^;'"]*?)\s*from\s+'([^']+)'/gm;
const bareClause = /^import\s+'([^']+)'/gm;
const dynamicClause = /(?<!typeof )\bimport\('([^']+)'\)/g;

export function importsOf(file: SourceFile): Import[] {
  const named = [...file.text.matchAll(fromClause)].map(([, type, clause = '', specifier = '']) => ({
    specifier,
    target: targetOf(file, specifier),
    isTypeOnly: type !== undefined || holdsTypesOnly(clause),
    isDynamic: false,
    names: namesOf(clause),
  }));
  const rest = [bareClause, dynamicClause].flatMap((clause) =>
    [...file.text.matchAll(clause)].map(([, specifier = '']) => ({
      specifier,
      target: targetOf(file, specifier),
      isTypeOnly: false,
      isDynamic: clause === dynamicClause,
      names: new Map<string, string>(),
    })),
  );
  return [...named, ...rest];
}

function targetOf(file: SourceFile, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return relative(root, join(root, dirname(file.path), specifier));
  const [, library, name] = /^@botyard\/(\w+)\/(.+)$/.exec(specifier) ?? [];
  return library && `libs/${library}/src/${name}.ts`;
}

function partsOf(clause: string): string[] {
  const [, inner] = /\{([^}]*)\}/.exec(clause) ?? [];
  return (inner ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function holdsTypesOnly(clause: string): boolean {
  const parts = partsOf(clause);
  return clause.startsWith('{') && parts.length > 0 && parts.every((part) => part.startsWith('type '));
}

function namesOf(clause: string): Map<string, string> {
  return new Map(
    partsOf(clause).map((part) => {
      const [exported = '', local = exported] = part.replace(/^type /, '').split(' as ');
      return [local, exported];
    }),
  );
}

/** The package that a bare specifier belongs to; `undefined` for files and for Node itself. */
export function packageOf(specifier: string): string | undefined {
  if (specifier.startsWith('.') || specifier.startsWith('node:')) return undefined;
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

/** Every file that a process loads at its start, from this one on, and every package that those name. */
export function loadedFrom(entry: string): { files: Set<string>; packages: Set<string> } {
  const loaded = { files: new Set<string>(), packages: new Set<string>() };
  const visit = (path: string) => {
    if (loaded.files.has(path)) return;
    loaded.files.add(path);
    for (const { specifier, target, isTypeOnly, isDynamic } of importsOf(fileAt(path))) {
      if (isTypeOnly || isDynamic) continue;
      const name = packageOf(specifier);
      if (target) visit(target);
      else if (name) loaded.packages.add(name);
    }
  };
  visit(entry);
  return loaded;
}

/** `path:line`, for a fault at an offset of the text. */
export function placeIn(file: SourceFile, offset: number): string {
  return `${file.path}:${file.text.slice(0, offset).split('\n').length}`;
}

export const serviceOf = (path: string): string => path.split('/')[1] ?? '';
export const layers = ['routes', 'consumers', 'domain', 'store', 'clients'] as const;
const isLayer = (part: string): boolean => (layers as readonly string[]).includes(part);
const wiring: readonly string[] = ['registry', 'adapter', 'tasks'];
const placeInSource = (path: string): string[] => path.split('/src/')[1]?.split('/') ?? [];

/** The layer that a file of a service lies in, or the name of a file directly beneath `src/` or a module. */
export function layerOf(path: string): string {
  const parts = placeInSource(path);
  return parts.find(isLayer) ?? parts.at(-1)?.replace(/\.ts$/, '') ?? '';
}

/**
 * The module of a service that a file lies in, as `endpoints` or `platforms/telegram`; empty beside the modules, and
 * for the registry of the platforms and what it lists, which wire modules as `app.ts` does.
 */
export function moduleOf(path: string): string {
  if (wiring.includes(layerOf(path))) return '';
  const parts = placeInSource(path).slice(0, -1);
  const end = parts.findIndex(isLayer);
  return (end < 0 ? parts : parts.slice(0, end)).join('/');
}
