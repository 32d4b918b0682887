import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { violationsOf } from './axe.ts';

/** The page is for everybody, and no wider than its window. */
export async function expectUsable(page: Page): Promise<void> {
  expect(await violationsOf(page)).toEqual([]);
  const width = page.viewportSize()!.width;
  expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
}
