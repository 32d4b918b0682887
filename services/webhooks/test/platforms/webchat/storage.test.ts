import { expect, test, vi } from 'vitest';

// A script of browsers, which has no types.
const { newId } = await import(
  new URL('../../../src/platforms/webchat/widget/storage.js', import.meta.url).href
);

test('a page without https, where browsers have no randomUUID, gets numbers of its own', () => {
  vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) });
  const ids = Array.from({ length: 100 }, () => newId());
  expect(new Set(ids).size).toBe(100);
  for (const id of ids)
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  vi.unstubAllGlobals();
});
