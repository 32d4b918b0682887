import { readFile } from 'node:fs/promises';
import { consolePages } from '@botyard/contracts/console-paths';
import { expect, test } from 'vitest';

test('the gateway serves the console at the first segment of every route, and at no other one', async () => {
  const source = await readFile(new URL('../src/routes.tsx', import.meta.url), 'utf8');
  const segments = [...source.matchAll(/^ {2}page\('\/([\w-]+)/gm)].map(([, segment]) => segment);
  expect([...new Set(segments)].sort()).toEqual([...consolePages].sort());
});
