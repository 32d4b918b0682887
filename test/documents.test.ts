import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { filesAt, readText, root } from './support/sources.ts';

test('the README stays short enough to be read', () => {
  expect(Buffer.byteLength(readText('README.md'))).toBeLessThanOrEqual(8 * 1024);
});

const pages = filesAt(/^[^/]*\.md$|^(docs|services\/\w+|tools)\/.*\.md$/);

test.each(pages.map((page) => [page.path, page] as const))(
  '%s: its links and the files that it names are there',
  (path, { text }) => {
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, target = '']) =>
      join(dirname(path), target),
    );
    const named = [...text.matchAll(/`((?:services|libs|tools|test|docs)\/[\w./-]+)`/g)].map(
      ([, target = '']) => target,
    );
    expect([...links, ...named].filter((target) => !existsSync(join(root, target)))).toEqual([]);
  },
);

test('a page that names a line of a file quotes what stands there: `code` (`path:line`)', () => {
  const wrong = pages.flatMap(({ path, text }) =>
    [...text.matchAll(/(?:`([^`]+)`\s\()?`([\w./-]+\.ts):(\d+)`/g)].flatMap(
      ([reference, code, file = '', line]) => {
        const target = [file, join(dirname(path), file)].find((one) => existsSync(join(root, one)));
        const quoted = target && readText(target).split('\n')[Number(line) - 1];
        return code && quoted?.includes(code) ? [] : `${path}: ${reference}`;
      },
    ),
  );
  expect(wrong).toEqual([]);
});

test('every `npm run` that a page names is a script', () => {
  const { scripts } = JSON.parse(readText('package.json')) as { scripts: Record<string, string> };
  const named = pages.flatMap(({ text }) =>
    [...text.matchAll(/npm run (\w+)/g)].map(([, name = '']) => name),
  );
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
});
