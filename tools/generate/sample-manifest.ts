/**
 * Protects samples and the names of platforms and providers against changes. The manifest holds a hash of each, written
 * once.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { platformNames } from '@botyard/contracts/platform-names';
import { providerNames } from '@botyard/contracts/providers';
import { samplesFolder } from '@botyard/testing/samples';

/** Hashes by path. They cover the content, not its formatting. */
type Manifest = Readonly<Record<string, string>>;

const file = `${samplesFolder}manifest.json`;

export function readManifest(): Manifest {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Manifest) : {};
}

/** Hashes of the samples currently in the folder. */
export function hashSamples(): Manifest {
  const paths = readdirSync(samplesFolder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.json') && path !== 'manifest.json')
    .sort();
  return Object.fromEntries(
    paths.map((path) => [path, hashOf(JSON.parse(readFileSync(samplesFolder + path, 'utf8')))]),
  );
}

/**
 * Messages contain these names only as data, so the names have no samples of their own. They must remain valid all the
 * same.
 */
const hashNames = (): Manifest =>
  Object.fromEntries(
    Object.entries({ platforms: platformNames, providers: providerNames }).flatMap(([registry, names]) =>
      names.map((name) => [`${registry}/${name}`, hashOf(name)]),
    ),
  );

/** Hashes of everything that must not change. */
export const hashAll = (): Manifest => ({ ...hashNames(), ...hashSamples() });

const hashOf = (payload: unknown): string =>
  createHash('sha256').update(JSON.stringify(payload)).digest('base64url');

interface Difference {
  added: string[];
  changed: string[];
  removed: string[];
}

export function compareSamples(manifest: Manifest, present: Manifest): Difference {
  return {
    added: Object.keys(present).filter((path) => !(path in manifest)),
    changed: Object.keys(manifest).filter((path) => path in present && present[path] !== manifest[path]),
    removed: Object.keys(manifest).filter((path) => !(path in present)),
  };
}

/** Adds new samples and names to the manifest. @throws Error if a listed one was edited or removed. */
export function admitSamples(): string[] {
  const [manifest, present] = [readManifest(), hashAll()];
  const { added, changed, removed } = compareSamples(manifest, present);
  if (changed.length + removed.length > 0)
    throw new Error(
      `samples and names of platforms and providers must not be edited or removed, because such messages may still be in flight: ${[...changed, ...removed].join(', ')}. Add a new one instead.`,
    );
  const all = Object.entries({ ...manifest, ...present }).sort(([left], [right]) => (left < right ? -1 : 1));
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(all), null, 2)}\n`);
  return added;
}
