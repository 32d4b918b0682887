import { eventually } from '@botyard/testing/eventually';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { looks } from './count-clicks.ts';
import { expectUsable } from './expect-usable.ts';
import { chatOfMallory, type OpenConsole, openConsole, openPage, writeToDemoBot } from './open-console.ts';

let opened: OpenConsole;
let page: Page;
let chatId: string;
beforeAll(async () => {
  opened = await openConsole();
  await writeToDemoBot(opened.installation, 'hello', `Mallory ${'of a long name '.repeat(5)}`);
  const chat = await eventually('there is a chat', () =>
    opened.installation.firstOf('/api/interactions/chats'),
  );
  chatId = chat.chatId as string;
  await api('POST', `/api/interactions/chats/${chatId}/takeover`, {});
  for (const name of ['Refund', 'Urgent', 'A label that is rather long']) {
    await api('POST', '/api/interactions/labels', { name });
    labels.push(name);
  }
  await api('PUT', `/api/interactions/chats/${chatId}`, { labels });
});
afterEach(async () => {
  await page.context().close();
  expect(opened.complaints).toEqual([]);
});
afterAll(() => opened?.close());

const labels: string[] = [];
const api: OpenConsole['installation']['api'] = (...request) => opened.installation.api(...request);
const messages = () => page.getByRole('region', { name: 'Messages' });
const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
const heightOf = async (element: ReturnType<Page['locator']>) => (await element.boundingBox())!.height;

describe.each(Object.entries(looks))('%s', (look, options) => {
  test('a picture opens large by the keyboard, and Escape closes it but not the chat', async () => {
    page = await opened.newPage(options);
    await openPage(page, `/inbox/${chatId}`);
    await messages()
      .getByLabel('Files to attach')
      .setInputFiles({
        name: `receipt ${look}.png`,
        mimeType: 'image/png',
        buffer: await page.screenshot(),
      });
    await messages().getByRole('button', { name: 'Send', exact: true }).click();
    const line = messages()
      .getByRole('listitem')
      .filter({ hasText: `receipt ${look}.png` });
    const small = line.getByRole('button', { name: /Show it large/ });
    await small.waitFor();
    await expect.poll(() => heightOf(small.locator('img'))).toBeLessThanOrEqual(256);
    await small.press('Enter');
    const dialog = page.getByRole('dialog', { name: `receipt ${look}.png` });
    const large = dialog.getByRole('img');
    await large.waitFor();
    expect(await heightOf(large)).toBeGreaterThan(400);
    await expectUsable(page);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await small.and(page.locator(':focus')).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/inbox/${chatId}`);
  });

  test('a canned reply is changed in its place, and a name that is taken is refused in the dialog', async () => {
    const [name, taken] = [`hours ${look}`, `taken ${look}`];
    for (const one of [name, taken])
      await api('POST', '/api/interactions/canned-replies', { name: one, text: 'We open at nine.' });
    page = await opened.newPage(options);
    await openPage(page, '/inbox/texts');
    const edit = page.getByRole('row', { name: new RegExp(name) }).getByRole('button', { name: 'Edit …' });
    await edit.press('Enter');
    const field = (label: string) => page.getByRole('dialog').getByLabel(label, { exact: true });
    expect(await field('Text').inputValue()).toBe('We open at nine.');
    await expectUsable(page);
    await field('Name').fill(taken);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await field('Name').fill(name);
    await field('Text').fill('We open at ten.');
    await button('Save').press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('row', { name: new RegExp(`${name}.*We open at ten`) }).waitFor();
    await edit.and(page.locator(':focus')).waitFor();
  });
});

test('on a phone the header of a chat is one line, and unfolds the rest by its button', async () => {
  page = await opened.newPage(looks['on a phone']);
  await openPage(page, `/inbox/${chatId}`);
  const header = messages().locator('header');
  await button('Hand back').waitFor();
  expect(await heightOf(header)).toBeLessThanOrEqual(60);
  await header.getByText('Demo bot · Telegram').waitFor();
  expect(await header.getByText('Urgent', { exact: true }).filter({ visible: true }).count()).toBe(0);
  await button('More of this chat').press('Enter');
  for (const label of labels)
    await header.getByText(label, { exact: true }).filter({ visible: true }).waitFor();
  await header.getByLabel('Assigned to').waitFor();
  await expectUsable(page);
  await header.locator('summary', { hasText: 'Snooze' }).press('Enter');
  await header.getByRole('button', { name: 'In an hour' }).waitFor();
  await expectUsable(page);
  await button('More of this chat').press('Enter');
  await expect.poll(() => heightOf(header)).toBeLessThanOrEqual(60);
});

test('chats are sorted by the longest time without a message, and the address keeps the order', async () => {
  const nora = chatOfMallory(opened.installation).replace('700000077', '700000088');
  await fetch(nora, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ text: 'me too', name: 'Nora' }),
  });
  page = await opened.newPage();
  await openPage(page, '/inbox');
  const chats = page.getByRole('region', { name: 'Chats' }).getByRole('link', { name: /Demo bot/ });
  await chats.first().filter({ hasText: 'Nora' }).waitFor();
  await page.getByText('Filter and sort').click();
  await page.getByLabel('Sort by').selectOption({ label: 'Longest without a message' });
  await chats.first().filter({ hasText: 'Mallory' }).waitFor();
  await chats.last().filter({ hasText: 'Nora' }).waitFor();
  await page.reload();
  await chats.first().filter({ hasText: 'Mallory' }).waitFor();
});
