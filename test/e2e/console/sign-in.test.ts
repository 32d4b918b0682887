import { readFile } from 'node:fs/promises';
import { type FakeIdp, startFakeIdp } from '@botyard/testing/fake-idp';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { newSigningSecret, sample, sign } from '../../../services/webhooks/test/idp-deliveries.ts';
import { LauncherProcess } from '../launcher-process.ts';
import { type ConsoleBrowser, lookAt } from './open-console.ts';

/**
 * The origin of the provider's own library, according to the publishable key. No network is used: the browser's
 * requests end here.
 */
const provider = 'idp.console.test';
const secret = newSigningSecret();

let idp: FakeIdp;
let launcher: LauncherProcess;
let gatewayUrl: string;
let browser: ConsoleBrowser;
let page: Page;
/** Sessions that the provider has ended. */
const ended = new Set<string>();
/** How often the open page has loaded the provider's library. */
let loads = 0;

beforeAll(async () => {
  idp = await startFakeIdp();
  launcher = await LauncherProcess.start({
    CONSOLE_BUILD: 'true',
    IDP_ISSUER: idp.issuer,
    IDP_API_URL: idp.url,
    IDP_SECRET_KEY: idp.secretKey,
    IDP_WEBHOOK_SECRET: secret,
    IDP_PUBLISHABLE_KEY: `pk_test_${btoa(`${provider}$`)}`,
  });
  gatewayUrl = (await launcher.readRun())?.gatewayUrl ?? '';
  browser = await lookAt(gatewayUrl);
});
beforeEach(async () => {
  page = await browser.newPage();
  loads = 0;
  await page.context().route(`https://${provider}/**`, async (route) => {
    const path = new URL(route.request().url()).pathname;
    const session = /^\/v1\/sessions\/(sess_\w+)\/tokens$/.exec(path)?.[1];
    if (session === undefined) {
      const isPart = path === '/npm/part.js';
      if (!isPart) loads += 1;
      const body = isPart ? '' : await readFile(new URL('provider-library.js', import.meta.url), 'utf8');
      return await route.fulfill({ contentType: 'text/javascript', body });
    }
    const userId = session.replace('sess', 'user');
    const body = await idp.sessionToken({ userId, isForged: ended.has(session) });
    await route.fulfill({ headers: { 'access-control-allow-origin': '*' }, body });
  });
});
afterEach(async () => {
  await page.context().close();
  ended.clear();
  expect(browser.complaints).toEqual([]);
});
afterAll(async () => {
  await browser?.close();
  await launcher?.stop();
  await idp?.close();
});

const button = (name: string) => page.getByRole('button', { name, exact: true });
const pages = () => page.getByRole('navigation', { name: 'Pages' });

async function signInWithTenant(person: string, tenant: string): Promise<void> {
  await page.goto('/');
  await button(`Sign in as ${person}`).click();
  await page.getByLabel('Name', { exact: true }).fill(tenant);
  await button('Create tenant').click();
  await page.getByRole('heading', { name: tenant, level: 1 }).waitFor();
}

test('nothing is shown before a person has signed in with the provider, whose session survives a reload', async () => {
  await page.goto('/bots');
  await button('Sign in as anna').waitFor();
  expect(await pages().count()).toBe(0);
  await signInWithTenant('anna', 'Annas');
  await page.reload();
  await page.getByRole('heading', { name: 'Annas', level: 1 }).waitFor();
  const token = await page.evaluate<string>('Clerk.session.getToken()');
  const kept = await page.evaluate<string>('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])');
  expect(kept).not.toContain(token);
});

test("an action asks for every answer again, and doesn't load the provider's library again", async () => {
  await signInWithTenant('dora', 'Doras');
  expect(loads).toBe(1);
});

test('a session that the provider has ended is reported instead of the page, with a way to sign in again', async () => {
  await signInWithTenant('ben', 'Bens');
  ended.add('sess_ben');
  await pages().getByRole('link', { name: 'Bots' }).click();
  await page.getByText('Your session has ended.').waitFor();
  expect(await pages().count()).toBe(0);
  ended.clear();
  await page.getByRole('link', { name: 'Sign in again' }).click();
  await page.getByRole('heading', { name: 'Bens', level: 1 }).waitFor();
});

test('after a sign-out nothing of the page is left, and the next person sees only their own data', async () => {
  await page.goto('/');
  await button('Sign in as anna').click();
  await page.getByRole('heading', { name: 'Annas', level: 1 }).waitFor();
  await page.evaluate('void Clerk.signOut()');
  await button('Sign in as ben').waitFor();
  expect(await page.getByText('Annas', { exact: true }).count()).toBe(0);
  await button('Sign in as ben').click();
  await page.getByRole('heading', { name: 'Bens', level: 1 }).waitFor();
  expect(await page.content()).not.toContain('Annas');
});

test('an account that the provider reports as closed ends an open page that sends no more requests by itself', async () => {
  await signInWithTenant('cleo', 'Cleos');
  await pages().getByRole('link', { name: 'Agents' }).click();
  await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
  const event = JSON.stringify({ ...sample('user_deleted'), data: { id: 'user_cleo', deleted: true } });
  const headers = { 'content-type': 'application/json', ...sign(event, { secret }) };
  const answer = await fetch(`${gatewayUrl}/webhooks/idp`, { method: 'POST', body: event, headers });
  expect(answer.status).toBe(200);
  await page.getByText('Your session has ended.').waitFor();
  expect(await page.content()).not.toContain('Cleos');
});

test('a copied command sends a token of the reader, and never contains one', async () => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto('/bots');
  await button('Sign in as anna').click();
  await button('For developers').click();
  await button('Copy as curl').click();
  const copied = await page.evaluate<string>('navigator.clipboard.readText()');
  expect(copied).toContain('-H "Authorization: Bearer $TOKEN"');
});
