import { eventually, patienceMs } from '@botyard/testing/eventually';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningGateway, startGateway } from '../../../services/gateway/test/support/start-gateway.ts';
import { openBrowser } from '../../../tools/browser/open-browser.ts';
import { tagGroups } from '../../../tools/generate/tag-groups.ts';

let gateway: RunningGateway;
let browser: Browser;
let page: Page;
const complaints: string[] = [];
const requestedUrls: string[] = [];

beforeAll(async () => {
  gateway = await startGateway();
  browser = await openBrowser([]);
  page = await browser.newPage({ colorScheme: 'dark' });
  page.setDefaultTimeout(patienceMs);
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (/content security policy/i.test(message.text())) complaints.push(message.text());
  });
  page.on('request', (request) => requestedUrls.push(request.url()));
  await page.goto(`${gateway.url}/docs`);
});
afterAll(async () => {
  await browser?.close();
  await gateway?.stop();
});

const groups = () => page.getByRole('navigation', { name: 'Groups' });
const operation = (path: string) => page.locator('#reference').getByText(path, { exact: true }).first();

test('the reference shows the groups, and the operations of a tag and of no other', async () => {
  await groups().getByRole('link', { name: 'keys', exact: true }).click();
  await operation('/api/keys/{tenantId}').waitFor();
  expect(await groups().locator('b').allTextContents()).toEqual(tagGroups.map(({ name }) => name));
  await groups().getByRole('link', { name: 'admin/apps', exact: true }).click();
  await operation('/api/admin/apps').waitFor();
  expect(await operation('/api/keys/{tenantId}').count()).toBe(0);
});

test('an operation is found by words of its path and its summary, and its address opens it', async () => {
  await page.getByRole('searchbox', { name: 'Search all operations' }).fill('post POLICY');
  await page.getByRole('link', { name: 'POST /api/auth/policies', exact: true }).click();
  await page.getByText('Request body').first().waitFor();
  await page.reload();
  await page.getByText('Request body').first().waitFor();
});

test("it follows the browser's preference for dark or light, also while it is open", async () => {
  const isDark = async () =>
    (await page.evaluate('getComputedStyle(document.body).backgroundColor')) !== 'rgb(255, 255, 255)';
  expect(await isDark()).toBe(true);
  await page.emulateMedia({ colorScheme: 'light' });
  await eventually('the page is light', async () => !(await isDark()));
});

test('it keeps to its policy, and asks nothing of any other host', () => {
  expect(complaints).toEqual([]);
  const elsewhere = requestedUrls.filter(
    (url) => !url.startsWith(`${gateway.url}/`) && !url.startsWith('data:'),
  );
  expect(elsewhere).toEqual([]);
  expect(requestedUrls.length).toBeGreaterThan(4);
});
