import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './support/sources.ts';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const page = read('SECURITY.md');
const { packages } = JSON.parse(read('package-lock.json')) as {
  packages: Record<string, { version?: string; dev?: boolean }>;
};

/** The entries of the page's list: a library and its version. */
const judged = [...page.matchAll(/^- \*\*([@\w./-]+)\*\* (\d[\w.-]*) reads /gm)].map(
  ([, name = '', version]) => ({
    name,
    version,
  }),
);
const [, others = ''] = /read nothing foreign[^:]*: ([\s\S]*?)\.\s*$/.exec(page) ?? [];
const unread = others.split(',').map((name) => name.trim());

/** Copies that only tools and tests load don't count. */
const versionsOf = (name: string): (string | undefined)[] =>
  Object.entries(packages)
    .filter(([path, { dev = false }]) => path.endsWith(`node_modules/${name}`) && !dev)
    .map(([, { version }]) => version);

/** The libraries that run in production: those that services and libraries name themselves. */
const used = new Set(
  ['libs', 'services'].flatMap((folder) =>
    readdirSync(join(root, folder)).flatMap((name) => {
      const { dependencies = {} } = JSON.parse(read(`${folder}/${name}/package.json`)) as {
        dependencies?: Record<string, string>;
      };
      return Object.keys(dependencies).filter((dependency) => !dependency.startsWith('@botyard/'));
    }),
  ),
);

test('the page lists libraries that read foreign input', () => {
  expect(judged.length).toBeGreaterThan(20);
  expect(new Set(judged.map(({ name }) => name)).size).toBe(judged.length);
});

test.each(judged)('$name is installed in the version that the page has judged', ({ name, version }) => {
  expect(versionsOf(name)).toEqual([version]);
});

test('every library of the services is judged, as one that reads foreign input or as one that does not', () => {
  const listedNames = new Set([...judged.map(({ name }) => name), ...unread]);
  expect([...used].filter((name) => !listedNames.has(name))).toEqual([]);
  expect(unread.filter((name) => !used.has(name))).toEqual([]);
});

test('every case and promise that the page names is on the page of reliability', () => {
  const rows = new Set(
    [...read('docs/reliability.md').matchAll(/^(?:### |- \*\*)([A-Z]-?\d+)(?::|\*\*)/gm)].map(([, id]) => id),
  );
  const named = [...page.matchAll(/\b(P\d{1,2}|[A-Z]-\d\d)\b/g)].map(([, id]) => id);
  expect(named.filter((id) => !rows.has(id))).toEqual([]);
});
