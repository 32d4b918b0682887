import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..');
const harness = "from '@botyard/testing/service-harness'";
const localImport = /from '(\.[^']+)'/g;

/**
 * Tests of internal parts of a service, such as `domain/` and `store/`, that start services. The fast tier tests
 * services from outside, by routes and contracts, and their internal parts by tests that need no server.
 * @returns paths from the root
 */
export function internalTests(): string[] {
  const known = new Map<string, boolean>();
  const startsServices = (file: string): boolean => {
    const found = known.get(file);
    if (found !== undefined) return found;
    // For files that import each other.
    known.set(file, false);
    const text = readFileSync(file, 'utf8');
    const imported = [...text.matchAll(localImport)].map(([, path = '']) => join(dirname(file), path));
    const helpers = imported.filter((path) => path.includes('/test/') && existsSync(path));
    const starts = text.includes(harness) || helpers.some(startsServices);
    known.set(file, starts);
    return starts;
  };
  return globSync('services/*/test/**/*.test.ts', { cwd: root }).filter(
    (path) => !path.includes('/routes/') && startsServices(join(root, path)),
  );
}
