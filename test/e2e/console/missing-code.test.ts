import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type OpenConsole, openConsole, openPage } from './open-console.ts';

let opened: OpenConsole;
let page: Page;
let loads: number;
beforeAll(async () => {
  opened = await openConsole();
});
beforeEach(async () => {
  page = await opened.newPage();
  loads = 0;
  page.on('request', (request) => {
    if (request.isNavigationRequest()) loads += 1;
  });
});
afterEach(() => page.context().close());
afterAll(() => opened?.close());

const goToKeys = () => page.getByRole('link', { name: 'Keys', exact: true }).click();
const keys = '**/assets/keys-*.js';
const fail = () => page.getByRole('alert').filter({ hasText: 'could not be loaded' });

const isLookedAt = () =>
  page.waitForResponse(
    (answer) => new URL(answer.url()).pathname === '/' && !answer.request().isNavigationRequest(),
  );

test('a page whose code can never be loaded says what to do, and is reloaded only when its reader tries again', async () => {
  await page.route(keys, (route) => route.fulfill({ status: 404 }));
  await openPage(page, '/bots');
  const looked = isLookedAt();
  await goToKeys();
  await fail().getByText('Try again to reload the page').waitFor();
  await (await looked).finished();
  expect(loads).toBe(1);
  await page.unroute(keys);
  await fail().getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor();
  expect(loads).toBe(2);
});

test('code that is loaded after the page, and never can be, does not reload the page', async () => {
  await page.route('**/assets/palette-*.js', (route) => route.fulfill({ status: 404 }));
  const looked = isLookedAt();
  await openPage(page, '/bots');
  await (await looked).finished();
  await goToKeys();
  await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor();
  expect(loads).toBe(1);
});

test('code that a newer build has replaced reloads the page', async () => {
  await openPage(page, '/bots');
  await page.route(keys, (route) => route.fulfill({ status: 404 }));
  await page.route('/', async (route) => {
    const answer = await route.fetch();
    const body = (await answer.text()).replace(/main-[0-9a-f]+\.js/, 'main-0123abcd.js');
    await page.unroute(keys);
    await route.fulfill({ response: answer, body });
  });
  await goToKeys();
  await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor();
  expect(loads).toBe(2);
});

test('a console whose main file can never be loaded says so', async () => {
  await page.route('**/assets/shared-*.js', (route) => route.fulfill({ status: 404 }));
  await page.goto('/bots');
  await fail().waitFor();
  expect(loads).toBe(1);
});
