import { lstat, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parse, stringify } from 'yaml';
import { CliError } from '../cli-error.ts';
import type { Content, Kind } from '../kinds/kind.ts';
import { areEqual } from './canonical.ts';
import { isSlug } from './slug.ts';

const maxFileBytes = 16 * 1024 ** 2;
/** A hand-written file needs few; a hostile one makes gigabytes of them. */
const maxAliasCount = 100;

/** The texts of a thing's files, by their paths in the folder. */
export function filesOf(kind: Kind, slug: string, content: Content): Map<string, string> {
  const files = new Map<string, string>();
  const fields = [...kind.required, ...Object.keys(kind.defaults)];
  const ordered = [...fields, ...Object.keys(content).filter((field) => !fields.includes(field))];
  const shown = ordered.filter(
    (field) =>
      field !== kind.markdown && field in content && !areEqual(content[field], kind.defaults[field] ?? {}),
  );
  const yaml = Object.fromEntries(shown.map((field) => [field, content[field]]));
  files.set(yamlPath(kind, slug), stringify(yaml, { lineWidth: 100, blockQuote: 'literal' }));
  const text = kind.markdown === undefined ? undefined : content[kind.markdown];
  if (typeof text === 'string' && text !== '') files.set(markdownPath(kind, slug), withLineEnd(text));
  return files;
}

const yamlPath = (kind: Kind, slug: string) => `${kind.name}/${slug}.yaml`;
const markdownPath = (kind: Kind, slug: string) => `${kind.name}/${slug}.md`;
const withLineEnd = (text: string) => (text.endsWith('\n') ? text : `${text}\n`);

/** The things of one kind in a folder, by the names of their files. @throws CliError for a file that can't be used. */
export async function readThings(folder: string, kind: Kind): Promise<Map<string, Content>> {
  const names = await readdir(join(folder, kind.name)).catch(ifMissing([] as string[]));
  const things = new Map<string, Content>();
  for (const name of names.toSorted()) {
    if (!/\.ya?ml$/.test(name)) continue;
    const slug = name.replace(/\.ya?ml$/, '');
    const path = `${kind.name}/${name}`;
    if (!isSlug(slug) || !name.endsWith('.yaml'))
      throw new CliError(
        `${path}: the name must be lower-case letters, digits and hyphens, and end with .yaml`,
      );
    things.set(slug, await readThing(folder, kind, slug));
  }
  return things;
}

async function readThing(folder: string, kind: Kind, slug: string): Promise<Content> {
  const path = yamlPath(kind, slug);
  const content = parseFile(path, await readText(folder, path));
  const allowed = [...kind.required, ...Object.keys(kind.defaults)];
  const unknown = Object.keys(content).find((field) => !allowed.includes(field));
  if (unknown !== undefined)
    throw new CliError(`${path}: there is no field "${unknown}". The fields are ${allowed.join(', ')}`);
  if (kind.markdown !== undefined && content[kind.markdown] === undefined) {
    const text = await readText(folder, markdownPath(kind, slug)).catch(ifMissing(undefined));
    if (text !== undefined) content[kind.markdown] = text.trimEnd();
  }
  const missing = kind.required.find((field) => content[field] === undefined);
  if (missing !== undefined)
    throw new CliError(
      missing === kind.markdown
        ? `${markdownPath(kind, slug)} is missing`
        : `${path}: the field "${missing}" is missing`,
    );
  return { ...kind.defaults, ...content };
}

function parseFile(path: string, text: string): Content {
  let content: unknown;
  try {
    content = parse(text, { maxAliasCount });
  } catch (error) {
    throw new CliError(`${path} is not YAML: ${(error as Error).message}`);
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content))
    throw new CliError(`${path} must have fields, such as "name: …"`);
  return content as Content;
}

async function readText(folder: string, path: string): Promise<string> {
  const { size } = await lstatWithoutLink(folder, path);
  if (size > maxFileBytes) throw new CliError(`${path} is larger than ${maxFileBytes / 1024 ** 2} MiB`);
  return await readFile(join(folder, path), 'utf8');
}

/** A link could lead out of the folder. */
async function lstatWithoutLink(folder: string, path: string) {
  const state = await lstat(join(folder, path));
  if (!state.isFile()) throw new CliError(`${path} must be a file, not a link or a folder`);
  return state;
}

/** Writes a thing's files, and removes those that it no longer has. */
export async function writeThing(folder: string, kind: Kind, slug: string, content: Content): Promise<void> {
  const files = filesOf(kind, slug, content);
  for (const path of [yamlPath(kind, slug), markdownPath(kind, slug)]) {
    const text = files.get(path);
    const place = join(folder, path);
    await lstatWithoutLink(folder, path).catch(ifMissing(undefined));
    if (text === undefined) await rm(place, { force: true });
    else {
      await mkdir(dirname(place), { recursive: true });
      await writeFile(place, text);
    }
  }
}

export async function removeThing(folder: string, kind: Kind, slug: string): Promise<void> {
  for (const path of [yamlPath(kind, slug), markdownPath(kind, slug)])
    await rm(join(folder, path), { force: true });
}

export const ifMissing =
  <Otherwise>(otherwise: Otherwise) =>
  (error: unknown): Otherwise => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return otherwise;
    throw error;
  };
