import { eventually } from '@botyard/testing/eventually';
import type { BrowserContextOptions } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OpenConsole, openConsole, openPage, writeToDemoBot } from './open-console.ts';
import { fixedPages, pagesOfThings } from './pages.ts';
import { plantHostileTexts } from './plant-hostile.ts';

/** Right-to-left overrides that nothing ends, letters under towers of marks, and a word without a blank. */
const bidirectional = '\u202e\u2067txet desrever';
const zalgo = [...'zalgo'].map((letter) => letter + '\u0301\u0489\u0324'.repeat(30)).join('');
const endless = 'W'.repeat(5000);
const texts = [bidirectional, zalgo, endless, `<b>${endless}</b>`, `${bidirectional} ${zalgo} ${endless}`];

let opened: OpenConsole;
beforeAll(async () => {
  opened = await openConsole();
  const { installation } = opened;
  await plantHostileTexts(installation);
  const { tenantId, botId } = installation.demo;
  const name = `${bidirectional} ${zalgo.slice(0, 100)} ${endless}`.slice(0, 200);
  // The messenger takes no longer ones.
  for (const text of texts) await writeToDemoBot(installation, text.slice(0, 4096), name);
  await eventually('the last text has arrived', async () => {
    const chats = await installation.api<{ lastMessage: { text: string } }[]>(
      'GET',
      '/api/interactions/chats?q=WWW',
    );
    return chats.length > 0;
  });
  await installation.api('PUT', `/api/bots/${tenantId}/${botId}`, { name: name.slice(0, 100) });
  await installation.api('POST', '/api/context-sources', { title: name, text: endless });
  await installation.api('POST', '/api/interactions/labels', { name: endless.slice(0, 40) });
});
afterAll(() => opened?.close());

const looks: Readonly<Record<string, BrowserContextOptions>> = {
  desk: { viewport: { width: 1280, height: 800 } },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
};

/**
 * Parts that are wider than their place: the page, its main part, or a pane of the inbox. A table may scroll by itself,
 * but not on a phone, where its buttons would be out of view.
 */
const tooWide = `[document.documentElement, ...document.querySelectorAll('#page, #page section')]
  .filter((part) => (innerWidth < 768 && part.querySelector(':scope > table')) || !/(auto|scroll)/.test(part === document.documentElement || part.id === 'page' ? '' : getComputedStyle(part).overflowX))
  .filter((part) => part.offsetParent !== null || part === document.documentElement)
  .filter((part) => part.scrollWidth > part.clientWidth + 1)
  .map((part) => {
    const widest = [...part.querySelectorAll('*')]
      .filter((one) => one.children.length === 0 && one.getClientRects().length > 0)
      .map((one) => [Math.max(one.getBoundingClientRect().right, one.getBoundingClientRect().left + one.scrollWidth), one])
      .sort(([left], [right]) => right - left)[0]?.[1];
    return (part.id || part.ariaLabel || part.tagName) + ' by ' + widest?.outerHTML.slice(0, 160) + ' in ' + widest?.parentElement?.outerHTML.slice(0, 120);
  })`;

test.each(Object.entries(looks))(
  'hostile names and messages widen no page on a %s',
  async (_look, options) => {
    const page = await opened.newPage(options);
    const things = await pagesOfThings((path) => opened.installation.firstOf(path));
    const widened: Record<string, unknown> = {};
    for (const path of [...fixedPages, ...things.map((thing) => thing.path)]) {
      await openPage(page, path);
      const parts = await page.evaluate<string[]>(tooWide);
      if (parts.length > 0) widened[path] = parts;
    }
    expect(widened).toEqual({});
    await page.context().close();
  },
);

test('a page that is wider than its window is noticed here', async () => {
  const page = await opened.newPage(looks.phone);
  await openPage(page, '/usage');
  await page.evaluate(`document.querySelector('#page').append(Object.assign(document.createElement('p'), {
    textContent: ${JSON.stringify(endless)} }))`);
  expect(await page.evaluate<string[]>(tooWide)).not.toEqual([]);
  await page.context().close();
});
