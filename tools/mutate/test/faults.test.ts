import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { allFaults } from '../faults/all.ts';

const root = join(import.meta.dirname, '..', '..', '..');

test('there are at least eighty faults, each with a name of its own', () => {
  expect(allFaults.length).toBeGreaterThanOrEqual(80);
  expect(new Set(allFaults.map(({ name }) => name)).size).toBe(allFaults.length);
});

describe('a fault has its place in the code once, and a test that has to notice it', () => {
  test.each(allFaults)('$name', ({ file, find, replaceWith, noticedBy }) => {
    expect(readFileSync(join(root, file), 'utf8').split(find)).toHaveLength(2);
    expect(replaceWith).not.toBe(find);
    expect(existsSync(join(root, noticedBy))).toBe(true);
  });
});
