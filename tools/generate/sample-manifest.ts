/** What keeps samples as they are: a hash of each, written once. Whoever changes one has to say so in the manifest, too. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { samplesFolder } from '@botyard/testing/samples';

/** Hash by path, of what is said and not of how it is laid out. */
export type Manifest = Readonly<Record<string, string>>;

const file = `${samplesFolder}manifest.json`;

export function readManifest(): Manifest {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Manifest) : {};
}

/** What lies in the folder now. */
export function hashSamples(): Manifest {
  const paths = readdirSync(samplesFolder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.json') && path !== 'manifest.json')
    .sort();
  return Object.fromEntries(
    paths.map((path) => [path, hashOf(JSON.parse(readFileSync(samplesFolder + path, 'utf8')))]),
  );
}

const hashOf = (said: unknown): string =>
  createHash('sha256').update(JSON.stringify(said)).digest('base64url');

export interface Difference {
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

/** Takes new samples into the manifest. @throws Error when one that it holds was edited or removed. */
export function admitSamples(): string[] {
  const [manifest, present] = [readManifest(), hashSamples()];
  const { added, changed, removed } = compareSamples(manifest, present);
  if (changed.length + removed.length > 0)
    throw new Error(
      `samples are never edited or removed, because such messages are still under way somewhere: ${[...changed, ...removed].join(', ')}; add another one instead`,
    );
  const all = Object.entries({ ...manifest, ...present }).sort(([left], [right]) => (left < right ? -1 : 1));
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(all), null, 2)}\n`);
  return added;
}
