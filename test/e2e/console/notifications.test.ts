import { eventually } from '@botyard/testing/eventually';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { expectUsable } from './expect-usable.ts';
import { type OpenConsole, openConsole, openPage, writeToDemoBot } from './open-console.ts';

/** Keeps the notifications that the page shows, and lets a test look elsewhere. */
const keepNotifications = `
  globalThis.shown = [];
  globalThis.isElsewhere = false;
  Object.defineProperty(document, 'visibilityState', { get: () => (isElsewhere ? 'hidden' : 'visible') });
  globalThis.Notification = class extends Notification {
    // Without a screen the browser says "denied", whatever it has granted.
    static permission = 'granted';
    constructor(title, options) {
      super(title, options);
      shown.push(this);
    }
  };
`;

let opened: OpenConsole;
let page: Page;
let chatId: string;
beforeAll(async () => {
  opened = await openConsole();
  await writeToDemoBot(opened.installation, 'my account is 4711');
  chatId = await eventually('there is a chat', async () => {
    const chat = await opened.installation.firstOf('/api/interactions/chats');
    return chat?.chatId as string | undefined;
  });
});
afterEach(async () => {
  await page.context().close();
  expect(opened.complaints).toEqual([]);
});
afterAll(() => opened?.close());

const bell = (isOn: boolean) => page.getByRole('button', { name: 'Notify me of chats', pressed: isOn });
const setState = (state: string) =>
  opened.installation.api('PUT', `/api/interactions/chats/${chatId}`, { state });
const shown = () => page.evaluate<string[]>(`shown.map(({ title, body }) => title + ': ' + body)`);

test('a chat that begins to wait is told to somebody who looks elsewhere, without names or texts, and opens by a click', async () => {
  page = await opened.newPage({ permissions: ['notifications'] });
  await page.addInitScript(keepNotifications);
  await openPage(page, '/inbox?queue=waiting');
  await bell(false).click();
  await bell(true).waitFor();
  const waiting = page.getByRole('region', { name: 'Chats' }).getByRole('link', { name: /Demo bot/ });

  await setState('waiting');
  await waiting.waitFor();
  expect(await shown()).toEqual([]);
  await setState('open');
  await waiting.waitFor({ state: 'detached' });

  await openPage(page, '/agents');
  await bell(true).waitFor();
  await page.evaluate('isElsewhere = true');
  await setState('waiting');
  await eventually('it was told', async () => (await shown()).length > 0);
  expect(await shown()).toEqual(['Botyard: A chat waits for a person.']);
  await page.evaluate('shown[0].onclick()');
  await page.waitForURL(`**/inbox/${chatId}`);
  await page
    .getByRole('region', { name: 'Messages' })
    .getByText('my account is 4711', { exact: true })
    .waitFor();
  await setState('open');
});

test('a browser that blocks notifications is named as the reason, and nothing stays switched on', async () => {
  page = await opened.newPage();
  await page.addInitScript(`Notification.requestPermission = async () => 'denied'`);
  await openPage(page, '/inbox');
  await bell(false).click();
  await page.getByText('The browser blocks notifications.').waitFor();
  await bell(false).waitFor();
  await openPage(page, '/inbox');
  await bell(false).waitFor();
});

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

test('on a phone the switch is in the menu, is kept when that closes, and tells of a chat from any page', async () => {
  page = await opened.newPage({ ...phone, permissions: ['notifications'] });
  await page.addInitScript(keepNotifications);
  await openPage(page, '/agents');
  await page.getByRole('button', { name: 'More' }).tap();
  await bell(false).tap();
  await bell(true).waitFor();
  await expectUsable(page);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.evaluate('isElsewhere = true');
  await setState('waiting');
  await eventually('it was told', async () => (await shown()).length > 0);
  expect(await shown()).toEqual(['Botyard: A chat waits for a person.']);
  await setState('open');
});

test('a browser that refuses to show one has them switched off, with the reason', async () => {
  page = await opened.newPage({ ...phone, permissions: ['notifications'] });
  await page.addInitScript(`
    ${keepNotifications}
    localStorage.setItem('notifications', 'on');
    globalThis.Notification = class {
      static permission = 'granted';
      constructor() {
        throw new TypeError('Illegal constructor');
      }
    };
  `);
  await openPage(page, '/agents');
  await page.getByRole('button', { name: 'More' }).tap();
  await bell(true).waitFor();
  await page.evaluate('isElsewhere = true');
  await setState('waiting');
  await bell(false).waitFor();
  await page.getByRole('dialog').getByText('This browser shows no notifications of web pages.').waitFor();
  await setState('open');
});
