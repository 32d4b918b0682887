import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createButton, type OpenConsole, openConsole, openPage } from './open-console.ts';

let opened: OpenConsole;
let page: Page;
beforeAll(async () => {
  opened = await openConsole();
  page = await opened.newPage();
});
afterAll(() => opened?.close());

/** Somebody who has no tenant yet. */
const as = '?as=user_stranger';
const button = (name: string) => page.getByRole('button', { name, exact: true });
const field = (name: string) => page.getByLabel(name, { exact: true });

test('from a tenant of one’s own to the first answer, without a word of curl', async () => {
  await page.goto(`/${as}`);
  await field('Name').fill('Fresh');
  await button('Create tenant').click();
  await page.getByRole('heading', { name: 'Fresh', level: 1 }).waitFor();
  await page.getByText('Get started').waitFor();

  await page.goto(`/agents/new${as}`);
  await field('Name').fill('Host');
  await field('Instructions').fill('Be kind.');
  await field('Model').fill('sandbox');
  await button('Create agent').click();
  await page.getByText('Version 1 is live.').waitFor();

  await page.goto(`/bots${as}`);
  await createButton(page, 'New bot').click();
  await field('Name').fill('Fresh bot');
  await page.getByLabel('Host').check();
  await button('Create bot').click();
  await button('Connect a channel').click();
  await page.getByRole('button', { name: /^Telegram/ }).click();
  await field('Bot username').fill('fresh_bot');
  await field('Token from BotFather').fill('424242:AAEhBOweik9ai2QRTUwVXYzaBcDeFgHiJkl');
  await button('Connect').click();
  await button('Done').click();
  await page.getByRole('region', { name: 'Channels' }).getByText('connected', { exact: true }).waitFor();

  await fetch(`${opened.installation.sandboxUrl}/api/bots/424242/chats/700000077/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ text: 'hello', name: 'Ben' }),
  });
  await page.goto(`/inbox${as}`);
  await page.getByRole('link', { name: /Ben/ }).click();
  const messages = page.getByRole('region', { name: 'Messages' });
  await messages.getByText(/My instructions begin with: .*Be kind\./).waitFor();
});

test('other pages open at their addresses, and the content policy had nothing to refuse', async () => {
  for (const path of ['/usage', '/keys', '/people']) await openPage(page, `${path}${as}`);
  expect(opened.complaints).toEqual([]);
});
