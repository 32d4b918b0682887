import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..');
const localImport = /from '(\.[^']+)'/g;

/**
 * Tests of internal parts of a service, such as `domain/` and `store/`, that start services. The fast tier tests
 * services from outside, by routes and contracts, and their internal parts by tests that need no server.
 * @returns paths from the root
 */
export const internalTests = (): string[] =>
  importersOf(/from '@botyard\/testing\/service-harness'/, 'services/*/test/**/*.test.ts').filter(
    (path) => !path.includes('/routes/'),
  );

/** Tests that open a browser. @returns paths from the root */
export const browserTests = (): string[] =>
  importersOf(
    /from '[./]+tools\/browser\/open-browser\.ts'/,
    '{test,services/webhooks/test/platforms/webchat}/**/*.test.ts',
  );

/** The tests that have this import, or whose helpers have it. */
function importersOf(wantedImport: RegExp, pattern: string): string[] {
  const reachesChange = new Map<string, boolean>();
  const imports = (file: string): boolean => {
    const cachedAnswer = reachesChange.get(file);
    if (cachedAnswer !== undefined) return cachedAnswer;
    // For files that import each other.
    reachesChange.set(file, false);
    const text = readFileSync(file, 'utf8');
    const imported = [...text.matchAll(localImport)].map(([, path = '']) => join(dirname(file), path));
    const helpers = imported.filter((path) => path.includes('/test/') && existsSync(path));
    const doesImport = wantedImport.test(text) || helpers.some(imports);
    reachesChange.set(file, doesImport);
    return doesImport;
  };
  return globSync(pattern, { cwd: root }).filter((path) => imports(join(root, path)));
}
