import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';

const folder = new URL('../../../src/platforms/webchat/widget/', import.meta.url);

/** A module and everything that it imports, except what it loads later. */
function withImports(name: string, loaded = new Set<string>()): Set<string> {
  if (loaded.has(name)) return loaded;
  loaded.add(name);
  const text = readFileSync(new URL(name, folder), 'utf8');
  for (const [, imported = ''] of text.matchAll(/^import .* from '\.\/([a-z-]+\.js)';$/gm))
    withImports(imported, loaded);
  return loaded;
}

const bytesOf = (names: Iterable<string>): number =>
  [...names].reduce(
    (sum, name) => sum + gzipSync(readFileSync(new URL(name, folder)), { level: 9 }).length,
    0,
  );

test('a page loads at most 12 kB (gzip), and the window at its first opening at most 45 kB', () => {
  const page = new Set(['chat.js', ...withImports('start.js')]);
  const opened = withImports('window.js').difference(page);
  const sizes = { page: bytesOf(page), window: bytesOf(opened) };
  process.stdout.write(`web chat: a page loads ${sizes.page} bytes, the window ${sizes.window} (gzip)\n`);
  expect(page).toContain('client.js');
  expect(sizes.page).toBeLessThanOrEqual(12_000);
  expect(sizes.window).toBeLessThanOrEqual(45_000);
});
