import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
export const consoleFolder = join(root, 'console');

const places = [
  ...['console/index.html', 'console/package.json', 'console/src', 'console/build'],
  ...[
    'libs/client/src',
    'libs/client/package.json',
    'libs/contracts/src/console-paths.ts',
    'libs/contracts/src/document-limits.ts',
    'libs/contracts/src/platform-names.ts',
    'libs/contracts/src/platforms',
    'package-lock.json',
  ],
];

/** A name for everything that the build is made of: another one means that it has to be built anew. */
export function hashOfSources(): string {
  const hash = createHash('sha256');
  for (const file of places.flatMap((place) => filesBeneath(join(root, place)))) {
    hash
      .update(`${relative(root, file)}\n`)
      .update(readFileSync(file))
      .update('\n');
  }
  return hash.digest('hex');
}

function filesBeneath(place: string): string[] {
  try {
    return readdirSync(place, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return [place];
    throw error;
  }
}
