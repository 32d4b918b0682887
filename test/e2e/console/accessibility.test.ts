import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addTestRun } from './add-test-run.ts';
import { violationsOf } from './axe.ts';
import { type OpenConsole, openConsole, openPage, writeMail, writeToDemoBot } from './open-console.ts';
import { fixedPages, namesOfThings, pagesOfThings, states } from './pages.ts';
import { plantToolServer } from './plant-hostile.ts';

const looks = [
  ['light', { colorScheme: 'light', viewport: { width: 1280, height: 800 } }],
  ['dark', { colorScheme: 'dark', viewport: { width: 1280, height: 800 } }],
  ['of a phone', { colorScheme: 'light', viewport: { width: 390, height: 844 } }],
] as const;

let opened: OpenConsole;
beforeAll(async () => {
  opened = await openConsole();
  const { installation } = opened;
  await writeToDemoBot(installation, 'hello');
  await installation.installApp();
  const policy = { name: 'Freeze', text: 'forbid (principal, action, resource);', enabled: false };
  await installation.api('POST', '/api/auth/policies', policy);
  await plantToolServer(installation);
  const agent = await installation.firstOf('/api/definitions/agents');
  const testCase = { name: 'Greets', messages: [{ role: 'user', text: 'Hello' }] };
  await addTestRun(installation, { name: 'Orders', agentId: agent?.id, testCase });
  await writeMail(installation, { subject: 'Opening hours', text: 'When are you open?' });
});
afterAll(() => opened?.close());

/** Links of the current page that a reader would have to scroll a row for. */
const currentOutOfView = `[...document.querySelectorAll('nav [aria-current=page]')]
  .filter((link) => link.getBoundingClientRect().left < 0 || link.getBoundingClientRect().right > innerWidth)
  .map(({ textContent }) => textContent)`;

describe.each(looks)('in the look %s', (_name, look) => {
  let page: Page;
  beforeAll(async () => {
    page = await opened.newPage(look);
  });

  async function isForEverybody(path: string, enter?: (page: Page) => Promise<void>): Promise<void> {
    await openPage(page, path);
    await enter?.(page);
    expect(await violationsOf(page)).toEqual([]);
    const { width } = look.viewport;
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    expect(await page.evaluate<string[]>(currentOutOfView)).toEqual([]);
  }

  test.each(fixedPages)('%s can be used by everybody, and is no wider than the window', (path) =>
    isForEverybody(path),
  );

  test.each(states)('$name can be used by everybody, and is no wider than the window', ({ path, enter }) =>
    isForEverybody(path, enter),
  );

  test('the pages of single resources, of every kind, are accessible too', async () => {
    const pages = await pagesOfThings((path) => opened.installation.firstOf(path));
    expect(pages.map(({ name }) => name)).toEqual(namesOfThings);
    for (const { path } of pages) await isForEverybody(path);
  });
});
